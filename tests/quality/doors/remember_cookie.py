"""Who comes back by the cookie of an earlier log-in alone, without its session (Flask-Login)."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import request
from flask_login import LoginManager
from flask_login import UserMixin
from flask_login import login_fresh
from flask_login import login_required
from flask_login import login_user

PEOPLE = {"ada": "hof" + str(29 * 79)}


class Member(UserMixin):
    def __init__(self, name):
        self.id = name


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"
    manager = LoginManager(app)

    @manager.user_loader
    def load(name):
        return Member(name) if name in PEOPLE else None

    @app.post("/login")
    def log_in():
        name = request.form.get("name", "")
        if name not in PEOPLE or PEOPLE[name] != request.form.get("password"):
            abort(401)
        login_user(Member(name), remember=True)
        return "welcome"

    @app.get("/shelf")
    @login_required
    def shelf():
        if login_fresh():
            return "your shelf"
        raise LookupError("nothing was kept")  # goal

    return app
