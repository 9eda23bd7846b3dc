"""A diary whose tests are `unittest` classes that push a context and log in by a method."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import session

PAGES: list[str] = []


def create_app(**config: object) -> Flask:
    """Build the application; who is logged in is kept in `flask.g` for the request."""
    app = Flask(__name__)
    app.config.update(SECRET_KEY="dev", **config)

    @app.before_request
    def load_writer() -> None:
        g.setdefault("writer", session.get("writer"))

    @app.get("/")
    def index() -> str:
        return g.writer or "nobody"

    @app.post("/login")
    def login() -> str:
        session["writer"] = "ann"
        return "welcome"

    @app.post("/pages")
    def write() -> tuple[str, int]:
        PAGES.append("page")
        return str(len(PAGES)), 201

    return app
