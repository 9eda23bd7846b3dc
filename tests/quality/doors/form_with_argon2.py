"""A form with a password that argon2 checks; the answer to a wrong one is the form once more."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from flask import Flask
from flask import request
from flask import session

FORM = '<form method="post"><input name="phrase" type="password"></form>'


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    hasher = PasswordHasher()
    hashed = hasher.hash("Otter" + str(8 * 1234))

    @app.route("/unlock", methods=["GET", "POST"])
    def unlock():
        if request.method == "POST":
            try:
                hasher.verify(hashed, request.form["phrase"])
            except VerifyMismatchError:
                return FORM
            session["open"] = True
            return "welcome"
        return FORM

    @app.get("/vault")
    def vault():
        if not session.get("open"):
            return "closed", 403
        if request.args.get("row", 1, type=int) > 40:
            raise LookupError("no such row")  # goal
        return "shelf"

    return app
