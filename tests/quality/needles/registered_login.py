"""A branch behind a log-in, for which somebody has to register first."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import request
from flask import session

passwords = {}


def create_app():
    app = Flask(__name__)
    app.secret_key = "needle"

    @app.post("/register")
    def register():
        name, password = request.form["name"], request.form["password"]
        if not name or len(password) < 6 or name in passwords:
            abort(400)
        passwords[name] = password
        return "welcome", 201

    @app.post("/login")
    def log_in():
        name, password = request.form["name"], request.form["password"]
        if name not in passwords or passwords[name] != password:
            abort(403)
        session["name"] = name
        return "hello"

    @app.get("/vault")
    def open_vault():
        if "name" not in session:
            abort(401)
        return "gold"  # goal

    return app
