"""NEWS: a small news service with a database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flask import Flask

from news import api
from news import database


def create_app(config: Mapping[str, object] | None = None) -> Flask:
    """Create the application and its tables; ``DATABASE`` is the file that keeps the news."""
    app = Flask(__name__, instance_relative_config=True)
    app.config["DATABASE"] = str(Path(app.instance_path) / "news.sqlite")
    app.config.update(config or {})
    Path(app.config["DATABASE"]).parent.mkdir(parents=True, exist_ok=True)
    database.prepare(app)
    app.register_blueprint(api.blueprint)
    return app
