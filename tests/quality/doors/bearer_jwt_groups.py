"""A bearer token whose groups are a list among claims of another claim; nothing issues it."""

from __future__ import annotations

import jwt
from flask import Flask
from flask import abort
from flask import g
from flask import request

WARDENS = {"lock-keepers", "wardens"}


def create_app():
    app = Flask(__name__)
    app.config["SIGNING_KEY"] = "weir" + "9876543210" * 4

    @app.before_request
    def who():
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer":
            abort(401)
        try:
            claims = jwt.decode(token, app.config["SIGNING_KEY"], algorithms=["HS256"])
        except jwt.InvalidTokenError:
            abort(401)
        g.groups = claims.get("access", {}).get("groups", [])

    @app.get("/gates")
    def gates():
        return {"groups": g.groups}

    @app.put("/gates/<int:number>")
    def move(number):
        if not set(g.groups) & WARDENS:
            abort(403)
        if number > 30:
            raise LookupError(number)  # goal
        return {"moved": number}

    return app
