"""A webhook whose body is signed; what it tells decides what happens."""

from __future__ import annotations

import hashlib
import hmac

from flask import Flask
from flask import abort
from flask import current_app
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["HOOK_KEY"] = b"\x00\x11quarry"

    @app.post("/deliveries")
    def deliver():
        given = request.headers.get("X-Quarry-Signature", "")
        method, _, digits = given.partition("=")
        if method != "sha256":
            abort(400)
        right = hmac.new(current_app.config["HOOK_KEY"], request.get_data(), hashlib.sha256)
        if not hmac.compare_digest(digits, right.hexdigest()):
            abort(403)
        parcel = request.get_json(force=True)
        if parcel.get("kind") == "gravel":
            raise NotImplementedError("gravel")  # goal
        return {"loads": 0}

    return app
