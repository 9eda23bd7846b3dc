"""Partners sign method, path, time and body; what is older than five minutes is refused."""

from __future__ import annotations

import hashlib
import hmac
import time

from flask import Flask
from flask import abort
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["TIDE_KEY"] = "buoy" + "8" * 9

    @app.before_request
    def signed():
        stamp = request.headers.get("X-Tide-Time", "")
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
            abort(401)
        text = f"{request.method}\n{request.path}\n{stamp}\n".encode() + request.get_data()
        wanted = hmac.new(app.config["TIDE_KEY"].encode(), text, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(wanted, request.headers.get("X-Tide-Sign", "")):
            abort(403)

    @app.post("/tides")
    def tides():
        height = request.get_json(force=True).get("height", 1)
        if isinstance(height, int) and height > 30:
            raise OverflowError(height)  # goal
        return {"noted": True}

    @app.get("/tides/<int:number>")
    def tide(number):
        return {"number": number}

    return app
