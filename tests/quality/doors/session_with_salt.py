"""A form; SHA-256 with a salt of its own in each row, and a session."""

from __future__ import annotations

import hashlib
import os
import sqlite3

from flask import Flask
from flask import redirect
from flask import request
from flask import session

FORM = '<form method="post"><input name="nick"><input type="password" name="phrase"></form>'

rows = sqlite3.connect(":memory:", check_same_thread=False)
rows.execute("CREATE TABLE sailor (nick TEXT, salt TEXT, digest TEXT)")
for nick in ("inga", "jorn"):
    salt = os.urandom(4).hex()
    digest = hashlib.sha256(os.urandom(9)).hexdigest()
    rows.execute("INSERT INTO sailor VALUES (?, ?, ?)", (nick, salt, digest))
rows.commit()


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"

    @app.route("/board", methods=["GET", "POST"])
    def board():
        if request.method == "POST":
            nick, phrase = request.form.get("nick", ""), request.form.get("phrase", "")
            query = "SELECT salt, digest FROM sailor WHERE nick = ?"
            row = rows.execute(query, (nick,)).fetchone()
            if row and hashlib.sha256((row[0] + phrase).encode()).hexdigest() == row[1]:
                session["nick"] = nick
                return redirect("/deck")
        return FORM

    @app.get("/deck")
    def deck():
        if "nick" not in session:
            return redirect("/board")
        if request.args.get("knots", 4, type=int) > 40:
            raise OverflowError("knots")  # goal
        return "on deck"

    return app
