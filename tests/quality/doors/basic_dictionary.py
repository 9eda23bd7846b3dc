"""HTTP Basic by Flask-HTTPAuth, for those whom an attribute of the application names."""

from __future__ import annotations

from flask import Flask
from flask import current_app
from flask_httpauth import HTTPBasicAuth

gate = HTTPBasicAuth()


@gate.get_password
def password_of(name):
    return current_app.gardeners.get(name)


def create_app():
    app = Flask(__name__)
    app.gardeners = {name: f"{name}-{len(name) * 71}" for name in ("petal", "stem")}

    @app.get("/beds/<int:number>")
    @gate.login_required
    def bed(number):
        if number > 40:
            raise LookupError(number)  # goal
        return {"plants": number}

    return app
