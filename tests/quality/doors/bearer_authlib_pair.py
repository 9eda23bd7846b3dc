"""A bearer token of a key pair that Authlib checks, with claims that options ask for."""

from __future__ import annotations

from authlib.jose import JoseError
from authlib.jose import JsonWebKey
from authlib.jose import JsonWebToken
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.pair = JsonWebKey.generate_key("EC", "P-256", is_private=True)
    public = JsonWebKey.import_key(app.pair.as_dict(is_private=False))
    checker = JsonWebToken(["ES256"])
    options = {"iss": {"essential": True, "values": ["https://pier.example"]}}

    @app.get("/berths/<int:number>")
    def berth(number):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return {"error": "bearer"}, 401
        try:
            claims = checker.decode(token, public, claims_options=options)
            claims.validate()
        except (JoseError, ValueError):
            return {"error": "token"}, 401
        if claims.get("grade") not in ("pilot", "captain"):
            return {"error": "grade"}, 403
        if number > 20:
            raise LookupError(claims.get("sub"))  # goal
        return {"berth": number}

    return app
