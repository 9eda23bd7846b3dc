"""One integer out of 2 to the power of 64."""

from __future__ import annotations

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)

    @app.get("/licence")
    def check():
        number = request.args.get("number", 0, type=int)
        if number == 7_482_915_364_028_117_953:
            return "valid"  # goal
        return "unknown"

    return app
