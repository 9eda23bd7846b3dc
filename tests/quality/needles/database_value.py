"""A value that is nowhere in the code, only in a row of the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from flask import Flask
from flask import abort


def create_app(path):
    app = Flask(__name__)

    @app.get("/vouchers/<code>")
    def show(code):
        with closing(sqlite3.connect(path)) as database:
            query = "SELECT amount FROM voucher WHERE code = ?"
            row = database.execute(query, (code,)).fetchone()
        if row is None:
            abort(404)
        return str(row[0])  # goal

    return app
