"""A factory with a plain sqlite3 file (relative path) and a log-in form."""

from __future__ import annotations

import sqlite3

from flask import Flask
from flask import g
from flask import redirect
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

SCHEMA = """
CREATE TABLE IF NOT EXISTS user (name TEXT PRIMARY KEY, password TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, author TEXT NOT NULL, text TEXT NOT NULL);
"""


def create_app(test_config=None):
    app = Flask(__name__)
    app.config.from_mapping(SECRET_KEY="dev", DATABASE="notes.db")
    app.config.update(test_config or {})

    def database():
        if "database" not in g:
            g.database = sqlite3.connect(app.config["DATABASE"])
        return g.database

    @app.teardown_appcontext
    def close(_error):
        if held := g.pop("database", None):
            held.close()

    with app.app_context():
        database().executescript(SCHEMA)

    @app.post("/register")
    def register():
        values = (request.form["name"], generate_password_hash(request.form["password"]))
        database().execute("INSERT INTO user VALUES (?, ?)", values)
        database().commit()
        return "", 201

    @app.post("/login")
    def login():
        found = (
            database()
            .execute("SELECT password FROM user WHERE name = ?", (request.form["name"],))
            .fetchone()
        )
        if found is None or not check_password_hash(found[0], request.form["password"]):
            return "wrong", 401
        session["user"] = request.form["name"]
        return redirect("/notes")

    @app.route("/notes", methods=["GET", "POST"])
    def notes():
        if "user" not in session:
            return "log in first", 401
        if request.method == "POST":
            database().execute(
                "INSERT INTO note (author, text) VALUES (?, ?)",
                (session["user"], request.form["text"]),
            )
            database().commit()
            return "", 201
        rows = database().execute("SELECT id, text FROM note ORDER BY id").fetchall()
        return {"notes": [{"id": key, "text": text} for key, text in rows]}

    return app
