"""An address that carries its own signature."""

from __future__ import annotations

from flask import Flask
from flask import request
from itsdangerous import BadSignature
from itsdangerous import Signer


def create_app():
    app = Flask(__name__)
    signer = Signer("chart" * 5)

    @app.get("/charts/<name>")
    def chart(name):
        try:
            signer.unsign(f"{name}.{request.args.get('sign', '')}")
        except BadSignature:
            return {"error": "signature"}, 403
        if request.args.get("zoom", 1, type=int) > 18:
            raise ValueError("zoom")  # goal
        return {"chart": name}

    return app
