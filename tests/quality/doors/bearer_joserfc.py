"""A bearer token that joserfc checks, with a claim that has to be there."""

from __future__ import annotations

from flask import Flask
from flask import request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey


def create_app():
    app = Flask(__name__)
    app.config["JOSE_KEY"] = "lighthouse-keeper-" * 3
    key = OctKey.import_key(app.config["JOSE_KEY"])
    registry = jwt.JWTClaimsRegistry(iss={"essential": True, "value": "lighthouse"})

    @app.get("/lamps/<int:number>")
    def lamp(number):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return {"error": "bearer"}, 401
        try:
            decoded = jwt.decode(token, key)
            registry.validate(decoded.claims)
        except (JoseError, ValueError):
            return {"error": "token"}, 401
        if number > 20:
            raise LookupError(decoded.claims.get("sub"))  # goal
        return {"lamp": number}

    return app
