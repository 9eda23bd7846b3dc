"""A log-in that a limit holds to a few tries a minute."""

from __future__ import annotations

from flask import Flask
from flask import request
from flask import session
from flask_limiter import Limiter


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    limiter = Limiter(lambda: request.remote_addr or "any", app=app, storage_uri="memory://")
    guards = {"oda": "gravel" + str(2**13)}

    @app.post("/watch")
    @limiter.limit("5 per minute")
    def watch():
        name = request.form.get("name", "")
        if name not in guards or guards[name] != request.form.get("word"):
            return {"error": "no"}, 401
        session["guard"] = name
        return {"guard": name}

    @app.get("/towers/<int:number>")
    def tower(number):
        if "guard" not in session:
            return {"error": "watch first"}, 401
        if number > 18:
            raise LookupError(number)  # goal
        return {"tower": number}

    return app
