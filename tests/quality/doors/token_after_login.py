"""A log-in by JSON that refuses with 400, bcrypt, then the token of its answer in a header."""

from __future__ import annotations

import secrets

import bcrypt
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.keepers = {"hedda": bcrypt.hashpw(b"Owl" + b"7" * 6, bcrypt.gensalt())}
    app.tokens = {}

    @app.post("/tokens")
    def log_in():
        sent = request.get_json(silent=True) or {}
        hashed = app.keepers.get(sent.get("keeper"))
        if hashed is None or not bcrypt.checkpw(str(sent.get("phrase")).encode(), hashed):
            return {"error": "no"}, 400
        token = secrets.token_hex(8)
        app.tokens[token] = sent["keeper"]
        return {"token": token}

    @app.get("/nests/<int:number>")
    def nest(number):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in app.tokens:
            return {"error": "token"}, 400
        if number > 40:
            raise LookupError(number)  # goal
        return {"eggs": number}

    return app
