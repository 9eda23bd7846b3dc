"""A parcel has a barcode of thirteen digits, a number whose last digit follows from the others."""

from __future__ import annotations

from flask import Flask
from flask import request


def check_digit(digits):
    return -sum(digit * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10


def create_app():
    app = Flask(__name__)

    @app.put("/parcels")
    def scan():
        code = request.get_json().get("code")
        if not isinstance(code, int) or not 10**12 <= code < 10**13:
            return "no barcode", 400
        *digits, last = map(int, str(code))
        if check_digit(digits) != last:
            return "mistyped", 422
        return "stored", 201  # goal

    return app
