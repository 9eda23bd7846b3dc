"""People in a table beside others whose rows have a name, too; a salted hash in each row."""

from __future__ import annotations

import hashlib
import os
import sqlite3

from flask import Flask
from flask import redirect
from flask import request
from flask import session

FORM = '<form method="post"><input name="who"><input type="password" name="word"></form>'

rows = sqlite3.connect(":memory:", check_same_thread=False)
rows.execute("CREATE TABLE berry (name TEXT)")
rows.execute("CREATE TABLE grower (name TEXT, salt TEXT, digest TEXT)")
berries = [(f"{colour} {kind}",) for colour in ("red", "black", "white") for kind in ("a", "b")]
rows.executemany("INSERT INTO berry VALUES (?)", [*berries, *((f"{n} of them",) for n in range(9))])
for name in ("petra", "rolf"):
    salt = os.urandom(4).hex()
    digest = hashlib.sha256(os.urandom(9)).hexdigest()
    rows.execute("INSERT INTO grower VALUES (?, ?, ?)", (name, salt, digest))
rows.commit()


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"

    @app.route("/enter", methods=["GET", "POST"])
    def enter():
        if request.method == "POST":
            name, word = request.form.get("who", ""), request.form.get("word", "")
            query = "SELECT salt, digest FROM grower WHERE name = ?"
            row = rows.execute(query, (name,)).fetchone()
            if row and hashlib.sha256((row[0] + word).encode()).hexdigest() == row[1]:
                session["name"] = name
                return redirect("/field")
        return FORM

    @app.get("/field")
    def field():
        if "name" not in session:
            return redirect("/enter")
        if request.args.get("rain", 4, type=int) > 40:
            raise OverflowError("rain")  # goal
        return "ripe"

    return app
