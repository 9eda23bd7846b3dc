"""Lute, for learning languages by reading, with its database in a temporary folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="lute-"))


def create_app():
    """Create the application, with the books that it brings."""
    from lute.app_factory import create_app
    from lute.app_factory import data_initialization
    from lute.db import db

    settings = FOLDER / "config.yml"
    data = FOLDER / "data"
    settings.write_text(f"ENV: dev\nDBNAME: test_lute.db\nDATAPATH: {data}\n", encoding="utf-8")
    app = create_app(str(settings), {"WTF_CSRF_ENABLED": False, "TESTING": True})
    with app.app_context():
        data_initialization(db.session)
    return app


def reset(app):
    """The state is in the database."""


def users():
    """There is nobody to log in."""
    return {}
