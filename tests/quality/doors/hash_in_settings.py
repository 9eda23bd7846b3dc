"""A form for one administrator, whose hash the settings hold; a session tells who passed."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import request
from flask import session
from werkzeug.security import check_password_hash

HASH = (
    "pbkdf2:sha256:1000$HSUrgPaf$9eaf6b821c05a48254904ec5528a0e8d238c149c9d9af49bfd02d4c319cb990d"
)
"""Of a password that is not known any more."""

FORM = '<form method="post"><input name="pass_phrase" type="password"></form>'


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    app.config["ADMINISTRATOR_PASSWORD"] = HASH

    @app.route("/gate", methods=["GET", "POST"])
    def gate():
        if request.method == "POST":
            given = request.form.get("pass_phrase", "")
            if check_password_hash(app.config["ADMINISTRATOR_PASSWORD"], given):
                session["passed"] = True
                return redirect("/stones")
        return FORM

    @app.get("/stones")
    def stones():
        if not session.get("passed"):
            return redirect("/gate")
        if request.args.get("blocks", 3, type=int) < 1:
            raise LookupError("blocks")  # goal
        return "granite"

    return app
