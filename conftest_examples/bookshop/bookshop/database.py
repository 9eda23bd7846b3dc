"""The shop's SQLite file."""

from __future__ import annotations

import sqlite3

from flask import current_app
from flask import g

SCHEMA = """
CREATE TABLE book (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    genre TEXT NOT NULL,
    price_in_cents INTEGER NOT NULL,
    stock INTEGER NOT NULL
);
CREATE TABLE purchase (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    book_id INTEGER NOT NULL REFERENCES book (id),
    quantity INTEGER NOT NULL,
    total_in_cents INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'open'
);
INSERT INTO book (title, author, genre, price_in_cents, stock) VALUES
    ('Emma', 'Jane Austen', 'novel', 899, 12),
    ('Dracula', 'Bram Stoker', 'horror', 1050, 0),
    ('Walden', 'Henry Thoreau', 'essay', 1299, 3);
"""


def create_tables():
    connect().executescript(SCHEMA)


def connect():
    if "database" not in g:
        g.database = sqlite3.connect(current_app.config["DATABASE"])
        g.database.row_factory = sqlite3.Row
    return g.database


def close(error=None):
    database = g.pop("database", None)
    if database is not None:
        database.close()


def find(table, row_id):
    return connect().execute(f"SELECT * FROM {table} WHERE id = ?", (row_id,)).fetchone()


def change(statement, *values):
    cursor = connect().execute(statement, values)
    connect().commit()
    return cursor.lastrowid
