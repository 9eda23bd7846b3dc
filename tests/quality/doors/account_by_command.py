"""Nobody has an account until the owner runs ``flask create-staff``; roles are told apart."""

from __future__ import annotations

import sqlite3

import click
from flask import Flask
from flask import abort
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

db = sqlite3.connect(":memory:", check_same_thread=False)
db.execute("CREATE TABLE staff (login TEXT UNIQUE, hash TEXT, role TEXT)")


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"

    @app.cli.command("create-staff")
    @click.argument("login")
    @click.option("--role", type=click.Choice(["clerk", "boss"]), default="clerk")
    @click.password_option()
    def create_staff(login, role, password):
        values = (login, generate_password_hash(password), role)
        db.execute("INSERT INTO staff VALUES (?, ?, ?)", values)
        db.commit()

    @app.post("/login")
    def log_in():
        name = request.form.get("login")
        row = db.execute("SELECT hash, role FROM staff WHERE login = ?", (name,)).fetchone()
        if row is None or not check_password_hash(row[0], request.form.get("password", "")):
            abort(401)
        session["role"] = row[1]
        return "welcome"

    @app.get("/payroll")
    def payroll():
        if "role" not in session:
            abort(401)
        if session["role"] != "boss":
            abort(403)
        raise LookupError("no payroll yet")  # goal

    return app
