"""A form with two buttons; the view handles the other one, and one of another form, first."""

from __future__ import annotations

import hashlib
import os
import sqlite3

from flask import Flask
from flask import redirect
from flask import request
from flask import session

FORM = """<form method="post"><input name="nick"><input type="password" name="phrase">
<button>Board</button><button name="hint" value="1">Hint</button></form>"""

rows = sqlite3.connect(":memory:", check_same_thread=False)
rows.execute("CREATE TABLE miner (nick TEXT, salt TEXT, digest TEXT)")
for nick in ("gerd", "hilde"):
    salt = os.urandom(4).hex()
    digest = hashlib.sha256(os.urandom(9)).hexdigest()
    rows.execute("INSERT INTO miner VALUES (?, ?, ?)", (nick, salt, digest))
rows.commit()


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"

    @app.route("/gate", methods=["GET", "POST"])
    def gate():
        if request.method == "POST":
            if request.form.get("more_lamps"):
                return "no lamps here", 400
            if request.form.get("hint"):
                return FORM
            nick, phrase = request.form.get("nick", ""), request.form.get("phrase", "")
            query = "SELECT salt, digest FROM miner WHERE nick = ?"
            row = rows.execute(query, (nick,)).fetchone()
            if row and hashlib.sha256((row[0] + phrase).encode()).hexdigest() == row[1]:
                session["nick"] = nick
                return redirect("/shaft")
        return FORM

    @app.get("/shaft")
    def shaft():
        if "nick" not in session:
            return redirect("/gate")
        if request.args.get("depth", 4, type=int) > 40:
            raise OverflowError("depth")  # goal
        return "below"

    return app
