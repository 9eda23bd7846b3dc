"""A token of a key pair of an elliptic curve (ES256), which an object of the module holds."""

from __future__ import annotations

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from flask import Flask
from flask import request


class Mint:
    def __init__(self):
        self.private = ec.generate_private_key(ec.SECP256R1())

    def check(self, token):
        return jwt.decode(token, self.private.public_key(), algorithms=["ES256"])


def create_app():
    app = Flask(__name__)
    app.mint = Mint()

    @app.get("/vaults/<int:number>")
    def vault(number):
        try:
            app.mint.check(request.cookies.get("pass", ""))
        except jwt.InvalidTokenError:
            return {"error": "pass"}, 401
        if number > 9:
            raise LookupError(number)  # goal
        return {"vault": number}

    return app
