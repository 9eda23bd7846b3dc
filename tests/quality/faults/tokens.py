"""Passes that are signed: looked at as they should be, or believed as they are, if `careless`."""

from __future__ import annotations

import base64
import json

import jwt
from flask import abort
from flask import jsonify
from flask import request

AUDIENCE = "desk"


def add_tokens(app, careless):
    app.config["PASS_KEY"] = "k9-planted-pass-key-of-32-bytes-and-more"

    @app.get("/pass")
    def read_pass():
        sent = request.headers.get("X-Pass", "")
        claims = believed(sent) if careless else checked(sent)
        return jsonify(name=claims["sub"])

    def checked(sent):
        try:
            return jwt.decode(sent, app.config["PASS_KEY"], algorithms=["HS256"], audience=AUDIENCE)
        except jwt.InvalidTokenError:
            return abort(401)


def believed(sent):
    """Return the claims of a token without a look at its signature."""
    try:
        return json.loads(base64.urlsafe_b64decode(f"{sent.split('.')[1]}=="))
    except (IndexError, ValueError):
        return abort(401)
