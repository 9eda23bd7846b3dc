"""A bearer token that Authlib has signed and checks."""

from __future__ import annotations

from authlib.jose import JoseError
from authlib.jose import jwt
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["JOSE_KEY"] = "harbour-master-" * 3

    @app.get("/berths/<int:number>")
    def berth(number):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return {"error": "bearer"}, 401
        try:
            claims = jwt.decode(token, app.config["JOSE_KEY"])
            claims.validate()
        except (JoseError, ValueError):
            return {"error": "token"}, 401
        if number > 20:
            raise LookupError(claims.get("sub"))  # goal
        return {"berth": number}

    return app
