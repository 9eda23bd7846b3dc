"""A payment wants a card number whose digits add up, every second one doubled (Luhn)."""

from __future__ import annotations

from flask import Flask
from flask import request


def luhn_remainder(number):
    digits = [int(character) for character in number]
    others = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(others)) % 10


def create_app():
    app = Flask(__name__)

    @app.post("/payments")
    def pay():
        number = request.form.get("card", "").replace(" ", "")
        if not number.isdigit() or len(number) < 13:
            return "no number", 400
        if luhn_remainder(number) != 0:
            return "mistyped", 422
        return "paid", 201  # goal

    return app
