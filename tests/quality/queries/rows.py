"""A connection for each request, as small applications have it."""

from __future__ import annotations

import sqlite3

from flask import Flask
from flask import g


def with_database(app: Flask, path: str, schema: str) -> None:
    """Make the tables in the file `path`, and give each request a connection as ``g.database``."""
    connection = sqlite3.connect(path)
    connection.executescript(schema)
    connection.close()

    @app.before_request
    def connect() -> None:
        g.database = sqlite3.connect(path)
        g.database.row_factory = sqlite3.Row

    @app.teardown_request
    def close(_error: BaseException | None) -> None:
        g.database.close()
