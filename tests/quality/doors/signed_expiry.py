"""A link to a file holds when it expires, and a signature of both."""

from __future__ import annotations

import time
from hmac import compare_digest
from hmac import new

from flask import Flask
from flask import abort
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["LINKS"] = {"key": b"sluice-77"}

    @app.get("/files/<name>")
    def file(name):
        expires = request.args.get("expires", "0")
        text = f"{request.path}?expires={expires}"
        right = new(app.config["LINKS"]["key"], text.encode(), "sha1").hexdigest()
        if not compare_digest(right, request.args.get("signature", "")):
            abort(403)
        if not expires.isdigit() or int(expires) < time.time():
            abort(410)
        start = request.args.get("from", 0, type=int)
        return {"name": name, "part": "abc"[start]}  # goal

    return app
