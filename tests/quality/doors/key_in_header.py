"""A key in a header, compared in constant time with a setting that lies inside of another."""

from __future__ import annotations

from hmac import compare_digest

from flask import Flask
from flask import abort
from flask import current_app
from flask import request


def check_key():
    given = request.headers.get("X-Meter-Key")
    if given is None:
        abort(401)
    if not compare_digest(given.encode(), current_app.config["METER"]["key"].encode()):
        abort(403)


def create_app():
    app = Flask(__name__)
    app.config["METER"] = {"key": "-".join(["gauge", str(17 * 331)])}
    app.before_request(check_key)

    @app.get("/readings")
    def readings():
        days = request.args.get("days", 7, type=int)
        if days > 365:
            raise ValueError(days)  # goal
        return {"average": days}

    return app
