"""A branch behind a log-in of an account that is confirmed by an address in a mail."""

from __future__ import annotations

from secrets import token_urlsafe

from flask import Flask
from flask import abort
from flask import request
from flask import session
from flask import url_for
from flask_mail import Mail

accounts = {}
"""E-mail -> the token that still has to come back, None afterwards."""


def create_app():
    app = Flask(__name__)
    app.secret_key = "needle"
    app.config["MAIL_SUPPRESS_SEND"] = True
    mail = Mail(app)

    @app.post("/register")
    def register():
        email = request.form["email"]
        if "@" not in email or email in accounts:
            abort(400)
        accounts[email] = token_urlsafe(16)
        address = url_for("confirm", token=accounts[email], _external=True)
        mail.send_message("Welcome", [email], f"Come to {address}.", sender="us@example.com")
        return "look into your mails", 201

    @app.get("/confirm/<token>")
    def confirm(token):
        email = next((one for one, wanted in accounts.items() if wanted == token), None)
        if email is None:
            abort(404)
        accounts[email] = None
        return "welcome"

    @app.post("/login")
    def log_in():
        email = request.form["email"]
        if accounts.get(email, "") is not None:
            abort(403)
        session["email"] = email
        return "hello"

    @app.get("/vault")
    def open_vault():
        if "email" not in session:
            abort(401)
        return "gold"  # goal

    return app
