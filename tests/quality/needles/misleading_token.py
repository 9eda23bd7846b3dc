"""A token that nobody needs, and with which nobody comes in; behind it a body of three fields."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import request


def create_app():
    app = Flask(__name__)

    @app.before_request
    def check():
        if request.authorization or "token" in request.values:
            abort(403)

    @app.post("/files")
    def create():
        document = request.get_json()
        name, size, kind = document["name"], int(document["size"]), document["kind"]
        return {"name": name, "size": size, "kind": kind}, 201  # goal

    return app
