"""A log-in by hashlib.pbkdf2_hmac; rounds, salt and hash are one coded text; told a token."""

from __future__ import annotations

import hashlib
import random
from base64 import b64decode
from base64 import b64encode

from flask import Flask
from flask import request


class Keeper:
    def __init__(self, name, drawn):
        self.name = name
        salt, held = b64encode(drawn.randbytes(9)), b64encode(drawn.randbytes(32))
        self.secret = f"300:{salt.decode()}:{held.decode()}"

    def knows(self, password):
        rounds, salt, held = self.secret.split(":")
        made = hashlib.pbkdf2_hmac("sha256", password.encode(), b64decode(salt), int(rounds))
        return made == b64decode(held)


def create_app():
    app = Flask(__name__)
    drawn = random.Random(5)
    app.keepers = {name: Keeper(name, drawn) for name in ("bram", "cato")}
    app.passes = {}

    @app.post("/passes")
    def log_in():
        given = request.get_json(silent=True) or {}
        keeper = app.keepers.get(given.get("name"))
        if keeper is None or not keeper.knows(str(given.get("password", ""))):
            return {"error": "wrong"}, 401
        number = drawn.randbytes(6).hex()
        app.passes[number] = keeper.name
        return {"pass": number}, 201

    @app.get("/lamps")
    def lamps():
        if app.passes.get(request.headers.get("X-Pass", "")) is None:
            return {"error": "pass"}, 401
        raise LookupError("lamps")  # goal

    return app
