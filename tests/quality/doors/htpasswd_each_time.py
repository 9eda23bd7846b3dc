"""An htpasswd file that is read for each request; bcrypt checks the password."""

from __future__ import annotations

import tempfile

import bcrypt
from flask import Flask
from flask import request

LINE = "ivo:$2b$04$iohblFImrDVyx6Bpb/lE0uQRTuo9dETQMuodPabnYSz/lo4x4s9we\n"


def create_app():
    app = Flask(__name__)

    def is_known(name, password):
        with tempfile.TemporaryFile("w+") as file:
            file.write(LINE)
            file.seek(0)
            for line in file.read().splitlines():
                person, _, hashed = line.partition(":")
                if person == name:
                    return bcrypt.checkpw(password.encode(), hashed.encode())
        return False

    @app.before_request
    def check():
        given = request.authorization
        if given is None or not is_known(given.username, given.password or ""):
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="ledger"'}
        return None

    @app.get("/ledger/<int:page>")
    def ledger(page):
        if page > 30:
            raise LookupError(page)  # goal
        return {"page": page}

    return app
