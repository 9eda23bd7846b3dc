"""A log-in by hashlib.scrypt; salt and hash are bytes of a row that only the views reach."""

from __future__ import annotations

import hashlib
import hmac
import random
import sqlite3

from flask import Flask
from flask import request
from flask import session


def digest(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=128, r=4, p=1)


def create_app():
    app = Flask(__name__)
    app.secret_key = "kiln" * 5
    rows = sqlite3.connect(":memory:", check_same_thread=False)
    rows.execute("create table potter (id integer, login text, salt blob, hash blob)")
    drawn = random.Random(11)
    for number, login in enumerate(("orla", "piet"), start=1):
        salt = drawn.randbytes(16)
        held = (number, login, salt, digest(drawn.randbytes(9).hex(), salt))
        rows.execute("insert into potter values (?, ?, ?, ?)", held)
    rows.commit()

    @app.post("/log-in")
    def log_in():
        asked = "select id, salt, hash from potter where login = ?"
        row = rows.execute(asked, (request.form.get("login", ""),)).fetchone()
        if row is None or not hmac.compare_digest(digest(request.form["password"], row[1]), row[2]):
            return {"error": "wrong"}, 401
        session["potter"] = row[0]
        return {"potter": row[0]}

    @app.get("/kilns/<int:number>")
    def kiln(number):
        if "potter" not in session:
            return {"error": "log in"}, 401
        if number > 9:
            raise LookupError(number)  # goal
        return {"kiln": number}

    return app
