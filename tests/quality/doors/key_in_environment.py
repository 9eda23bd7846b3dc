"""A key that only the environment holds."""

from __future__ import annotations

import os

from flask import Flask
from flask import request

os.environ.setdefault("DOORS_FERRY_KEY", f"ferry-{11**5}")


def create_app():
    app = Flask(__name__)

    @app.before_request
    def check():
        if request.headers.get("X-Ferry") != os.environ["DOORS_FERRY_KEY"]:
            return {"error": "no ferry for you"}, 401
        return None

    @app.get("/crossings/<int:number>")
    def crossing(number):
        if number > 77:
            raise OverflowError(number)  # goal
        return {"crossing": number}

    return app
