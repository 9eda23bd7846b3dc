"""A token that joserfc checks by a set of keys; the private half of one is a global."""

from __future__ import annotations

from flask import Flask
from flask import request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey
from joserfc.jwk import KeySet

PAIR = ECKey.generate_key("P-256", {"kid": "one"}, private=True)


def create_app():
    app = Flask(__name__)
    others = [ECKey.generate_key("P-256", {"kid": "two"}, private=False)]
    keys = KeySet([*others, ECKey.import_key(PAIR.as_dict(private=False))])

    @app.get("/lamps/<int:number>")
    def lamp(number):
        try:
            decoded = jwt.decode(request.headers.get("X-Token", ""), keys)
        except (JoseError, ValueError):
            return {"error": "token"}, 401
        if number > 20:
            raise LookupError(decoded.claims.get("sub"))  # goal
        return {"lamp": number}

    return app
