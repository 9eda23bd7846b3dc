"""Who has an invitation may register, and log in then."""

from __future__ import annotations

import sqlite3

from flask import Flask
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

base = sqlite3.connect(":memory:", check_same_thread=False)
base.execute("CREATE TABLE invitation (code TEXT, used INTEGER DEFAULT 0)")
base.execute("CREATE TABLE member (name TEXT, word TEXT)")
base.execute("INSERT INTO invitation (code) VALUES (?)", ("".join(map(str, range(3, 9))) + "-w",))
base.commit()


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"

    @app.post("/join")
    def join():
        sent = request.get_json(silent=True) or {}
        query = "SELECT code FROM invitation WHERE code = ? AND used = 0"
        if base.execute(query, (str(sent.get("code")),)).fetchone() is None:
            return {"error": "invitation"}, 403
        if len(str(sent.get("word", ""))) < 8:
            return {"error": "word"}, 400
        row = str(sent.get("name")), generate_password_hash(str(sent["word"]))
        base.execute("INSERT INTO member VALUES (?, ?)", row)
        base.commit()
        return {"joined": row[0]}, 201

    @app.post("/enter")
    def enter():
        sent = request.get_json(silent=True) or {}
        query = "SELECT word FROM member WHERE name = ?"
        row = base.execute(query, (str(sent.get("name")),)).fetchone()
        if row is None or not check_password_hash(row[0], str(sent.get("word"))):
            return {"error": "no"}, 401
        session["name"] = sent.get("name")
        return {"in": True}

    @app.get("/club")
    def club():
        if "name" not in session:
            return {"error": "no"}, 401
        if request.args.get("table", 1, type=int) > 15:
            raise LookupError("table")  # goal
        return {"club": True}

    return app
