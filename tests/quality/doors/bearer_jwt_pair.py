"""A bearer token, RS256: a key pair that the application makes when it starts."""

from __future__ import annotations

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    app.private, app.public = private, private.public_key()

    @app.post("/passes")
    def issue():
        word = (request.get_json(silent=True) or {}).get("word")
        if word != app.config.get("PASS_WORD", "b" + "4" * 7):
            return {"error": "word"}, 403
        return {"pass": jwt.encode({"sub": "guest"}, app.private, algorithm="RS256")}

    @app.get("/halls/<int:number>")
    def hall(number):
        token = request.headers.get("X-Pass", "")
        try:
            jwt.decode(token, app.public, algorithms=["RS256"])
        except jwt.InvalidTokenError:
            return {"error": "pass"}, 401
        if number > 9:
            raise LookupError(number)  # goal
        return {"hall": number}

    return app
