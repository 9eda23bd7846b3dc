"""A bearer token (PyJWT) of a user in a database, whose row says whether it is an administrator."""

from __future__ import annotations

import sqlite3

import jwt
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["TOKEN_KEY"] = "anchor-chain-" * 4
    rows = sqlite3.connect(":memory:", check_same_thread=False)
    rows.execute("create table crew (name text, is_admin integer)")
    rows.executemany("insert into crew values (?, ?)", [("runa", 0), ("leif", 1)])
    rows.commit()

    @app.get("/holds/<int:number>")
    def hold(number):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(token, app.config["TOKEN_KEY"], algorithms=["HS256"])
        except jwt.InvalidTokenError:
            return {"error": "token"}, 401
        found = rows.execute("select is_admin from crew where name = ?", (claims.get("user"),))
        row = found.fetchone()
        if row is None:
            return {"error": "user"}, 401
        if not row[0]:
            return {"error": "admin"}, 403
        raise LookupError(number)  # goal

    return app
