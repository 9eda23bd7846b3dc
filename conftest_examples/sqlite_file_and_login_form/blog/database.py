import sqlite3

from flask import current_app
from flask import g


def connect():
    if "database" not in g:
        g.database = sqlite3.connect(current_app.config["DATABASE"])
        g.database.row_factory = sqlite3.Row
    return g.database


def close(error=None):
    database = g.pop("database", None)
    if database is not None:
        database.close()


def create_tables():
    with current_app.open_resource("schema.sql") as file:
        connect().executescript(file.read().decode())
