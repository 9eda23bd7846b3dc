"""A transfer wants an IBAN: country and length from a table, the rest modulo 97."""

from __future__ import annotations

import re

from flask import Flask
from flask import request

LENGTHS = {"AT": 20, "BE": 16, "DE": 22, "NO": 15}


def remainder(iban):
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97


def create_app():
    app = Flask(__name__)

    @app.post("/transfers")
    def transfer():
        iban = request.get_json()["iban"].replace(" ", "")
        if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]+", iban):
            return "no account", 400
        if len(iban) != LENGTHS.get(iban[:2]):
            return "too long or too short", 400
        if remainder(iban) != 1:
            return "mistyped", 422
        return "sent", 202  # goal

    return app
