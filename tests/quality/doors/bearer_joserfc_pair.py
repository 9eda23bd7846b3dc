"""A bearer token of a key pair that joserfc checks by its public half."""

from __future__ import annotations

from flask import Flask
from flask import request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey


def create_app():
    app = Flask(__name__)
    app.pair = RSAKey.generate_key(2048, private=True)
    public = RSAKey.import_key(app.pair.as_dict(private=False))

    @app.get("/lamps/<int:number>")
    def lamp(number):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return {"error": "bearer"}, 401
        try:
            decoded = jwt.decode(token, public, algorithms=["RS256"])
        except (JoseError, ValueError):
            return {"error": "token"}, 401
        if number > 20:
            raise LookupError(decoded.claims.get("sub"))  # goal
        return {"lamp": number}

    return app
