"""Two fields, of which one has to be computed from the other."""

from __future__ import annotations

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/transfers")
    def transfer():
        body = request.get_json()
        account, check = body["account"], body["check"]
        if not isinstance(account, int) or not isinstance(check, int) or account < 10_000:
            return "no account", 400
        if check != (account * 7 + 13) % 9973:
            return "wrong check digits", 422
        return "done", 202  # goal

    return app
