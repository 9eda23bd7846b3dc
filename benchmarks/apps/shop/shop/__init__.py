"""A shop as a JSON API: accounts, a catalogue, carts, orders, coupons, reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flask import Flask
from flask import jsonify
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from shop import accounts
from shop import administration
from shop import carts
from shop import catalogue
from shop import database
from shop import orders
from shop import reviews


def create_app(config: Mapping[str, object] | None = None) -> Flask:
    """Create the application and, the first time, its database."""
    app = Flask(__name__, instance_relative_config=True)
    app.config["DATABASE"] = str(Path(app.instance_path) / "shop.sqlite")
    app.config["ADMIN_KEY"] = "change-me"
    app.config.update(config or {})
    Path(app.config["DATABASE"]).parent.mkdir(parents=True, exist_ok=True)
    database.prepare(app)
    app.register_error_handler(HTTPException, answer_error)
    for module in (accounts, administration, carts, catalogue, orders, reviews):
        app.register_blueprint(module.blueprint)
    return app


def answer_error(error: HTTPException) -> ResponseReturnValue:
    """Answer an error with JSON instead of a page."""
    return jsonify(error=error.description), error.code or 500
