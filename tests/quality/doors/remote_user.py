"""A server in front tells who calls (``REMOTE_USER``), and which groups they are in."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import request

KEEPERS = {"mo" + str(4 * 11)}


def create_app():
    app = Flask(__name__)

    @app.before_request
    def check():
        if request.remote_user is None:
            abort(401)

    @app.get("/vault")
    def vault():
        if request.environ["REMOTE_USER"] not in KEEPERS:
            abort(403)
        if "wardens" not in request.headers.get("X-Remote-Groups", "").split(","):
            abort(403)
        raise LookupError("the vault is empty")  # goal

    return app
