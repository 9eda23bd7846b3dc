"""A code in a letter that the application keeps in a list of its own; only its hash is compared."""

from __future__ import annotations

import hashlib
import secrets

from flask import Flask
from flask import request
from flask import session

GUESTS = ("oda@example.org", "finn@example.org")


class Outbox:
    def __init__(self):
        self.letters = []

    def send(self, recipient, text):
        self.letters.append({"to": recipient, "text": text})


def create_app():
    app = Flask(__name__)
    app.secret_key = "hall" * 5
    app.outbox = Outbox()
    digests = {}

    @app.post("/codes")
    def ask():
        guest = request.form.get("email", "")
        if guest not in GUESTS:
            return {"error": "unknown"}, 404
        code = secrets.token_hex(4)
        digests[guest] = hashlib.sha256(code.encode()).hexdigest()
        app.outbox.send(guest, f"Good evening,\nyour code is {code}.")
        return {"sent": True}, 202

    @app.post("/visits")
    def enter():
        digest = hashlib.sha256(request.form.get("code", "").encode()).hexdigest()
        if digest not in digests.values():
            return {"error": "code"}, 401
        session["guest"] = digest
        return {"in": True}

    @app.get("/rooms/<int:number>")
    def room(number):
        if "guest" not in session:
            return {"error": "enter"}, 401
        if number > 12:
            raise LookupError(number)  # goal
        return {"room": number}

    return app
