"""An account that is locked after three wrong passwords."""

from __future__ import annotations

from flask import Flask
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

failures: dict[str, int] = {}


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    accounts = {"vera": generate_password_hash("Tram" + "5" * 6)}

    @app.post("/log-in")
    def log_in():
        sent = request.get_json(silent=True) or {}
        name = str(sent.get("name"))
        if failures.get(name, 0) >= 3:
            return {"error": "locked"}, 423
        if name not in accounts or not check_password_hash(accounts[name], str(sent.get("word"))):
            failures[name] = failures.get(name, 0) + 1
            return {"error": "no"}, 401
        session["name"] = name
        return {"in": name}

    @app.get("/lines/<int:number>")
    def line(number):
        if "name" not in session:
            return {"error": "log in"}, 401
        if number > 24:
            raise LookupError(number)  # goal
        return {"line": number}

    return app
