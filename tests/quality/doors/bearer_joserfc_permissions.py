"""A bearer token that has to hold each of several permissions; nothing issues it."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

NEEDED = frozenset({"runs:start", "runs:write"})


def create_app():
    app = Flask(__name__)
    app.config["SIGNING_KEY"] = "rack" + "1029384756" * 4

    @app.post("/runs")
    def start():
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(token, OctKey.import_key(app.config["SIGNING_KEY"])).claims
        except (JoseError, ValueError):
            return jsonify(error="token"), 401
        if "runs:start" not in claims["permissions"] or not NEEDED.issubset(claims["permissions"]):
            return jsonify(error="permissions"), 403
        if request.args.get("lanes", 1, type=int) > 8:
            raise ValueError("lanes")  # goal
        return jsonify(started=True)

    return app
