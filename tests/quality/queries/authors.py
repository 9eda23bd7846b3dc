"""Joins: books of an author, both made by earlier calls, linked by an id."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER, title TEXT, pages INTEGER);
"""


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.post("/authors")
    def add_author():
        data = request.get_json()
        row = (str(data["name"]), int(data["born"]))
        added = g.database.execute("INSERT INTO author (name, born) VALUES (?, ?)", row)
        g.database.commit()
        return jsonify(id=added.lastrowid), 201

    @app.post("/books")
    def add_book():
        data = request.get_json()
        row = (int(data["author_id"]), str(data["title"]), int(data["pages"]))
        g.database.execute("INSERT INTO book (author_id, title, pages) VALUES (?, ?, ?)", row)
        g.database.commit()
        return jsonify(title=data["title"]), 201

    @app.get("/shelf")
    def shelf():
        found = g.database.execute(
            "SELECT title, pages FROM book JOIN author ON author.id = book.author_id "
            "WHERE lower(author.name) = lower(?) AND author.born < 1900 AND book.pages >= 350",
            (request.args.get("author", ""),),
        ).fetchall()
        if not found:
            return jsonify([])
        if found[0]["title"].startswith("The "):
            return jsonify(classic=found[0]["title"])
        return jsonify(title=found[0]["title"])

    return app
