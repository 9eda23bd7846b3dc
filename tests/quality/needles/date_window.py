"""A date that has to fall on one day."""

from __future__ import annotations

from datetime import date

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)

    @app.get("/offers")
    def list_offers():
        try:
            day = date.fromisoformat(request.args.get("day", ""))
        except ValueError:
            return "no date", 400
        if date(2031, 3, 14) <= day < date(2031, 3, 15):
            return "pie"  # goal
        return "nothing"

    return app
