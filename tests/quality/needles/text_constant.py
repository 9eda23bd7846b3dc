"""A string of twelve characters, behind ``lower`` and ``strip``."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/basket/coupon")
    def redeem():
        code = request.get_json()["code"]
        if code.lower().strip() == "autumn-sale9":
            return jsonify(percent=20)  # goal
        return jsonify(percent=0)

    return app
