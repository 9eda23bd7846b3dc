"""The table of news, in SQLite."""

from __future__ import annotations

import sqlite3

from flask import Flask
from flask import current_app
from flask import g

SCHEMA = """
CREATE TABLE IF NOT EXISTS news (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    author_id TEXT NOT NULL,
    text TEXT NOT NULL,
    country TEXT NOT NULL,
    creation_time TEXT NOT NULL
)
"""


def prepare(app: Flask) -> None:
    """Create the table and close the connection of every request when it ends."""
    app.teardown_appcontext(close)
    with app.app_context():
        connect().execute(SCHEMA)


def connect() -> sqlite3.Connection:
    """Open the connection of this request, once."""
    if "database" not in g:
        g.database = sqlite3.connect(current_app.config["DATABASE"])
        g.database.row_factory = sqlite3.Row
    return g.database


def close(_error: BaseException | None = None) -> None:
    """Close the connection of this request."""
    connection = g.pop("database", None)
    if connection is not None:
        connection.close()
