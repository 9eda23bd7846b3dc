"""A key in the query, of which settings keep the hash."""

from __future__ import annotations

import hashlib

from flask import Flask
from flask import abort
from flask import current_app
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["READER_KEY"] = f"r-{7**6}"

    def check():
        if request.args.get("token") != current_app.config["READER_KEY"]:
            abort(403)

    @app.get("/shelves")
    def shelves():
        check()
        if request.args.get("row", 1, type=int) > 30:
            raise KeyError("row")  # goal
        return {"shelves": 3}

    @app.get("/readers")
    def readers():
        check()
        return {"readers": hashlib.md5(b"readers").hexdigest()}

    return app
