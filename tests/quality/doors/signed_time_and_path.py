"""A webhook that signs method, path and time, as clouds do."""

from __future__ import annotations

import hashlib
import hmac
import time

from flask import Flask
from flask import abort
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["HOOK_KEY"] = "buoy" + "8" * 9

    @app.before_request
    def signed():
        stamp = request.headers.get("X-Stamp", "")
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
            abort(401)
        text = f"{request.method}\n{request.path}\n{stamp}".encode()
        wanted = hmac.new(app.config["HOOK_KEY"].encode(), text, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(wanted, request.headers.get("X-Sign", "")):
            abort(403)

    @app.post("/tides")
    def tides():
        height = (request.get_json(silent=True) or {}).get("height", 1)
        if isinstance(height, int) and height > 30:
            raise OverflowError(height)  # goal
        return {"noted": True}

    return app
