"""A paste whose random name is to be seen in a redirect only, and actions on it."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import abort
from flask import redirect
from flask import request

pastes = {}
pinned = set()


def create_app():
    app = Flask(__name__)

    @app.post("/+paste")
    def paste():
        name = secrets.token_urlsafe(6)
        pastes[name] = request.form["text"]
        return redirect(f"/{name}/+shown")

    @app.get("/<name>/+shown")
    def show(name):
        return pastes.get(name) or abort(404)

    @app.post("/<name>/+pin")
    def pin(name):
        if name not in pastes:
            abort(404)
        pinned.add(name)
        return "", 204

    @app.delete("/<name>")
    def delete(name):
        if name not in pastes:
            abort(404)
        if name in pinned:
            return "pinned", 409  # goal
        del pastes[name]
        return "", 204

    return app
