"""A layer in front of Flask looks for a key in the WSGI environment."""

from __future__ import annotations

from flask import Flask
from flask import request

KEYS = {"q7zz" + str(13 * 3): "mo"}


class Gate:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, environ, start_response):
        key = environ.get("HTTP_X_GATE_KEY", "")
        if key not in KEYS:
            start_response("401 UNAUTHORIZED", [("Content-Type", "text/plain")])
            return [b"no"]
        environ["gate.user"] = KEYS[key]
        return self.inner(environ, start_response)


def create_app():
    app = Flask(__name__)
    app.wsgi_app = Gate(app.wsgi_app)

    @app.get("/me")
    def me():
        raise LookupError(request.environ["gate.user"])  # goal

    return app
