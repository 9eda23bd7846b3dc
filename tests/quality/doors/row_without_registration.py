"""Nobody is stored, nobody can register, and the log-in of a table without a model refuses."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from flask import Flask
from flask import current_app
from flask import g
from flask import redirect
from flask import request
from flask import session
from werkzeug.security import check_password_hash

TABLES = """
CREATE TABLE funktion (fid INTEGER PRIMARY KEY, titel TEXT NOT NULL);
CREATE TABLE mitglied (
    mid INTEGER PRIMARY KEY, kennung TEXT UNIQUE NOT NULL, losung TEXT NOT NULL,
    ort TEXT NOT NULL, fid INTEGER NOT NULL, FOREIGN KEY (fid) REFERENCES funktion (fid));
"""
FORM = '<form method="post"><input name="kennung"><input name="losung" type="password"></form>'


def get_db():
    if "db" not in g:
        g.db = sqlite3.connect(current_app.config["DATABASE"])
        g.db.row_factory = sqlite3.Row
    return g.db


def close(_error):
    if "db" in g:
        g.pop("db").close()


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"
    app.config["DATABASE"] = str(Path(tempfile.mkdtemp()) / "verein.db")

    app.teardown_appcontext(close)
    with app.app_context():
        get_db().executescript(TABLES)

    @app.before_request
    def load_member():
        found = get_db().execute(
            "SELECT m.mid, f.titel FROM mitglied m JOIN funktion f ON m.fid = f.fid"
            " WHERE m.mid = ?",
            (session.get("member"),),
        )
        g.member = found.fetchone()
        if g.member is None and request.endpoint != "log_in":
            return redirect("/einlass")
        return None

    @app.route("/einlass", methods=["GET", "POST"])
    def log_in():
        if request.method == "POST":
            row = get_db().execute(
                "SELECT mid, losung FROM mitglied WHERE kennung = ?", (request.form["kennung"],)
            )
            member = row.fetchone()
            if member is not None and check_password_hash(member["losung"], request.form["losung"]):
                session["member"] = member["mid"]
                return redirect("/")
        return FORM

    @app.get("/")
    def start():
        return "Willkommen"

    @app.get("/kasse")
    def till():
        if g.member["titel"] != "Kassenwart":
            return redirect("/")
        raise LookupError("no till yet")  # goal

    return app
