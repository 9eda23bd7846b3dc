"""The header of a JWT names the key, which the application looks up."""

from __future__ import annotations

import jwt
from flask import Flask
from flask import abort
from flask import current_app
from flask import request


def pallet_owner():
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer":
        abort(401)
    try:
        named = jwt.get_unverified_header(token).get("kid")
        key = current_app.config["PALLET_KEYS"].get(named)
        if key is None:
            abort(401)
        return jwt.decode(token, key, algorithms=["HS256"], audience="depot")["sub"]
    except jwt.InvalidTokenError:
        abort(401)


def create_app():
    app = Flask(__name__)
    app.config["PALLET_KEYS"] = {f"k{year}": f"pallet {year * 31}" * 3 for year in (2024, 2025)}

    @app.get("/pallets/<int:number>")
    def pallet(number):
        pallet_owner()
        if number > 30:
            raise LookupError(number)  # goal
        return {"pallet": number}

    return app
