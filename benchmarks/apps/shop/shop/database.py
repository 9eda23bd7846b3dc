"""The shop's SQLite file."""

from __future__ import annotations

import sqlite3

from flask import Flask
from flask import current_app
from flask import g

SCHEMA = """
CREATE TABLE IF NOT EXISTS account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT UNIQUE NOT NULL,
    password TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    birthday TEXT,
    language TEXT NOT NULL DEFAULT 'en-GB'
);
CREATE TABLE IF NOT EXISTS token (value TEXT PRIMARY KEY, account_id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS category (name TEXT PRIMARY KEY, parent TEXT);
CREATE TABLE IF NOT EXISTS product (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category TEXT NOT NULL REFERENCES category (name),
    price INTEGER NOT NULL,
    stock INTEGER NOT NULL,
    adult INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS review (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    product_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    stars INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (product_id, account_id)
);
CREATE TABLE IF NOT EXISTS coupon (
    code TEXT PRIMARY KEY,
    percent INTEGER NOT NULL,
    minimum INTEGER NOT NULL,
    until TEXT
);
CREATE TABLE IF NOT EXISTS cart (
    account_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (account_id, product_id)
);
CREATE TABLE IF NOT EXISTS cart_coupon (account_id INTEGER PRIMARY KEY, code TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS purchase (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    total INTEGER NOT NULL,
    shipping INTEGER NOT NULL,
    country TEXT NOT NULL,
    day TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS purchase_line (
    purchase_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    price INTEGER NOT NULL,
    quantity INTEGER NOT NULL
);
"""

FIRST_ROWS = """
INSERT INTO category VALUES ('toys', NULL), ('games', 'toys'), ('wine', NULL);
INSERT INTO product (name, category, price, stock, adult) VALUES
    ('Kite', 'toys', 1500, 20, 0),
    ('Chess', 'games', 4200, 3, 0),
    ('Riesling', 'wine', 990, 48, 1);
INSERT INTO coupon VALUES ('SPRING', 10, 0, '2099-12-31'), ('BIGCART', 25, 10000, '2099-12-31');
"""


def prepare(app: Flask) -> None:
    """Create the tables, fill new ones, and close every request's connection when it ends."""
    app.teardown_appcontext(close)
    with app.app_context():
        connection = connect()
        connection.executescript(f"BEGIN;{SCHEMA}COMMIT;")
        if connection.execute("SELECT 1 FROM category").fetchone() is None:
            connection.executescript(f"BEGIN;{FIRST_ROWS}COMMIT;")


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


def rows(query: str, *values: object) -> list[sqlite3.Row]:
    """Return all rows that a query finds."""
    return connect().execute(query, values).fetchall()


def row(query: str, *values: object) -> sqlite3.Row | None:
    """Return the first row that a query finds."""
    found: sqlite3.Row | None = connect().execute(query, values).fetchone()
    return found


def change(statement: str, *values: object) -> int | None:
    """Execute and commit a statement; return the id of the row that it inserted."""
    with connect() as connection:
        return connection.execute(statement, values).lastrowid
