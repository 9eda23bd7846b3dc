"""A log-in by JSON that refuses with 400, bcrypt, then the token of its answer in a header."""

from __future__ import annotations

import bcrypt
from flask import Flask
from flask import request
from itsdangerous import BadSignature
from itsdangerous import URLSafeSerializer


def create_app():
    app = Flask(__name__)
    app.keepers = {"hedda": bcrypt.hashpw(b"Owl" + b"7" * 6, bcrypt.gensalt())}
    tokens = URLSafeSerializer("any")

    @app.post("/tokens")
    def log_in():
        sent = request.get_json(silent=True) or {}
        hashed = app.keepers.get(sent.get("keeper"))
        if hashed is None or not bcrypt.checkpw(str(sent.get("phrase")).encode(), hashed):
            return {"error": "no"}, 400
        return {"token": tokens.dumps(sent["keeper"])}

    @app.get("/nests/<int:number>")
    def nest(number):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            tokens.loads(token)
        except BadSignature:
            return {"error": "token"}, 400
        if number > 40:
            raise LookupError(number)  # goal
        return {"eggs": number}

    return app
