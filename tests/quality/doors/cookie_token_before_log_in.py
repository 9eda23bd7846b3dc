"""A cookie has to be sent as a header, too, and a salted hash in a setting is checked."""

from __future__ import annotations

import hashlib

from flask import Flask
from flask import abort
from flask import current_app
from flask import request
from flask import session

OPERATOR = {"name": "vera", "salt": "b41f", "hash": "9c" * 32}


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"
    app.config["OPERATORS"] = [OPERATOR.copy()]

    @app.before_request
    def compare():
        cookie = request.cookies.get("XSRF-TOKEN")
        if request.method == "POST" and (not cookie or cookie != request.headers.get("X-XSRF")):
            abort(403)

    @app.post("/session")
    def log_in():
        given = request.get_json(silent=True) or {}
        for one in current_app.config["OPERATORS"]:
            word = one["salt"] + given.get("password", "")
            hashed = hashlib.sha256(word.encode()).hexdigest()
            if one["name"] == given.get("name") and one["hash"] == hashed:
                session["operator"] = one["name"]
                return {"in": True}
        return "not you", 401

    @app.post("/switches")
    def switch():
        if "operator" not in session:
            abort(401)
        raise LookupError("no switch")  # goal

    return app
