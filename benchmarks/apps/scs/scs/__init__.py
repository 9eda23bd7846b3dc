"""SCS: eleven functions of strings behind eleven GET endpoints."""

from __future__ import annotations

from flask import Flask

from scs import api


def create_app() -> Flask:
    """Create the application; it has no state and no configuration."""
    app = Flask(__name__)
    app.register_blueprint(api.blueprint)
    return app
