"""A token of a key pair (RS256) whose private key is a setting; no endpoint issues tokens."""

from __future__ import annotations

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    app.config["PRIVATE_KEY"] = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
    app.config["PUBLIC_KEY"] = (
        private.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )

    @app.get("/wings/<int:number>")
    def wing(number):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(
                token, app.config["PUBLIC_KEY"], algorithms=["RS256"], audience="museum"
            )
        except jwt.InvalidTokenError:
            return {"error": "token"}, 401
        if claims.get("role") != "curator":
            return {"error": "role"}, 403
        raise LookupError(number)  # goal

    return app
