"""A bearer token that stands in a row, and is looked for by a statement."""

from __future__ import annotations

import sqlite3

from flask import Flask
from flask import abort
from flask import request

database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("CREATE TABLE token (value TEXT, owner TEXT)")
database.execute("INSERT INTO token VALUES (?, 'warden')", ("".join(map(str, range(7, 15))),))
database.commit()


def create_app():
    app = Flask(__name__)

    def owner():
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            abort(401)
        query = "SELECT owner FROM token WHERE value = ?"
        row = database.execute(query, (token,)).fetchone()
        return row[0] if row else abort(401)

    @app.get("/cells/<int:number>")
    def cell(number):
        name = owner()
        if number > 40:
            raise LookupError(number)  # goal
        return {"warden": name}

    return app
