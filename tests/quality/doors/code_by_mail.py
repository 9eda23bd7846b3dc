"""A code that is mailed, and kept in the session until it is typed in."""

from __future__ import annotations

import random

from flask import Flask
from flask import request
from flask import session
from flask_mail import Mail
from flask_mail import Message

codes: dict[str, str] = {}


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    app.config["MAIL_DEFAULT_SENDER"] = "gate@example.org"
    mail = Mail(app)

    @app.post("/ask")
    def ask():
        address = request.form.get("email", "")
        if "@" not in address:
            return {"error": "email"}, 400
        codes[address] = str(random.randrange(10**6)).zfill(6)
        body = f"Your code is {codes[address]}"
        mail.send(Message("code", recipients=[address], body=body))
        return {"sent": True}

    @app.post("/confirm")
    def confirm():
        address = request.form.get("email", "")
        if address not in codes or codes[address] != request.form.get("code"):
            return {"error": "code"}, 403
        session["email"] = address
        return {"in": True}

    @app.get("/inbox")
    def inbox():
        if "email" not in session:
            return {"error": "no"}, 401
        if request.args.get("size", 1, type=int) > 99:
            raise ValueError("size")  # goal
        return {"mails": 0}

    return app
