"""Texts: LIKE with a word in the middle, in any case, of a title that an earlier call gave."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = "CREATE TABLE title (id INTEGER PRIMARY KEY, name TEXT, shelf TEXT, copies INTEGER);"


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.post("/titles")
    def add():
        data = request.get_json()
        name, shelf = str(data["name"]).strip(), str(data["shelf"])
        if len(name) < 4 or len(shelf) != 3:
            return jsonify(error="name or shelf"), 400
        g.database.execute(
            "INSERT INTO title (name, shelf, copies) VALUES (?, ?, ?)",
            (name, shelf.upper(), int(data["copies"])),
        )
        g.database.commit()
        return jsonify(name=name), 201

    @app.get("/search")
    def search():
        words = request.args.get("words", "")
        if len(words) < 3:
            return jsonify(error="longer words"), 400
        found = g.database.execute(
            "SELECT name, copies FROM title WHERE name LIKE ? AND shelf LIKE 'R%' "
            "AND copies NOT IN (0, 1)",
            (f"%{words}%",),
        ).fetchall()
        if not found:
            return jsonify([])
        if len(found) > 1:
            return jsonify(several=len(found))
        return jsonify(only=found[0]["name"])

    return app
