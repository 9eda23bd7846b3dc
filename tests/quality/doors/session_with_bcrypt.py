"""A session after a log-in by JSON; bcrypt in a row that an earlier process has written."""

from __future__ import annotations

import sqlite3

import bcrypt
from flask import Flask
from flask import request
from flask import session

base = sqlite3.connect(":memory:", check_same_thread=False)
base.execute("CREATE TABLE staff (id INTEGER PRIMARY KEY, email TEXT, hash TEXT)")
base.execute(
    "INSERT INTO staff (email, hash) VALUES (?, ?)",
    ("rasmus@example.org", "$2b$04$abcdefghijklmnopqrstuuMTqb2lPzHHYvy7BGmy7zOAQtAhSsYgG"),
)
base.commit()


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"

    @app.post("/api/enter")
    def enter():
        sent = request.get_json(silent=True) or {}
        query = "SELECT id, hash FROM staff WHERE email = ?"
        row = base.execute(query, (sent.get("email"),)).fetchone()
        if row is None or not bcrypt.checkpw(str(sent.get("password")).encode(), row[1].encode()):
            return {"error": "no"}, 401
        session["staff"] = row[0]
        return {"staff": row[0]}

    @app.get("/api/rota")
    def rota():
        if "staff" not in session:
            return {"error": "enter first"}, 401
        if request.args.get("week", 1, type=int) > 53:
            raise ValueError("week")  # goal
        return {"rota": []}

    return app
