"""A small bookshop: a JSON API for books and orders, and a catalogue to look at."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from bookshop import books
from bookshop import catalogue
from bookshop import database
from bookshop import orders


def create_app(config=None):
    app = Flask(__name__, instance_relative_config=True)
    app.config["DATABASE"] = str(Path(app.instance_path) / "bookshop.sqlite")
    app.config.update(config or {})
    Path(app.config["DATABASE"]).parent.mkdir(parents=True, exist_ok=True)

    app.teardown_appcontext(database.close)
    app.register_blueprint(books.blueprint)
    app.register_blueprint(orders.blueprint)
    app.register_blueprint(catalogue.blueprint)
    return app
