"""HTTP Basic, with a hash that passlib has made."""

from __future__ import annotations

from flask import Flask
from flask import request
from passlib.hash import sha256_crypt


def create_app():
    app = Flask(__name__)
    app.millers = {"greta": sha256_crypt.hash("Rye-" + str(13 * 77))}

    @app.get("/sacks/<int:number>")
    def sack(number):
        given = request.authorization
        hashed = app.millers.get(given.username) if given else None
        if hashed is None or not sha256_crypt.verify(given.password, hashed):
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="mill"'}
        if number > 40:
            raise LookupError(number)  # goal
        return {"rest": number}

    return app
