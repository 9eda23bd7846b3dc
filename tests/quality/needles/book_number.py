"""A book is found by its ISBN of ten digits, hyphens allowed: weights from ten down, modulo 11."""

from __future__ import annotations

from flask import Flask
from flask import jsonify


def is_isbn(text):
    digits = text.replace("-", "")
    if len(digits) != 10 or not digits.isdecimal():
        return False
    total = sum(weight * int(digit) for weight, digit in zip(range(10, 0, -1), digits, strict=True))
    return not total % 11


def create_app():
    app = Flask(__name__)

    @app.get("/books/<isbn>")
    def find_book(isbn):
        if not is_isbn(isbn):
            return jsonify(error="this is no ISBN"), 400
        return jsonify(isbn=isbn)  # goal

    return app
