"""A form of users whose hashes of Argon2 were made long ago, and stand in a file."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error
from flask import Flask
from flask import redirect
from flask import request
from flask import session

LINES = (
    "pia:$argon2id$v=19$m=8,t=1,p=1$YWJjZGVmZ2hpamtsbW5vcA$"
    "Zm9vYmFyYmF6cXV4cXV1eGNvcmdlZ3JhdWx0Z2FycGw\n"
)


def create_app():
    app = Flask(__name__)
    app.secret_key = "wharf"
    app.pilots = dict(line.split(":", 1) for line in LINES.splitlines())
    hasher = PasswordHasher()

    @app.post("/enter")
    def enter():
        hashed = app.pilots.get(request.form.get("pilot", ""))
        try:
            hasher.verify(hashed or "", request.form.get("word", ""))
        except Argon2Error:
            return "no", 403
        session["pilot"] = request.form["pilot"]
        return redirect("/charts/1")

    @app.get("/charts/<int:number>")
    def chart(number):
        if "pilot" not in session:
            return "who?", 403
        if number > 60:
            raise LookupError(number)  # goal
        return {"chart": number}

    return app
