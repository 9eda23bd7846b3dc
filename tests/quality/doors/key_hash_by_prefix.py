"""A key whose SHA-256 is looked up by its first digits in a dict; two owners, two scopes."""

from __future__ import annotations

import hashlib

from flask import Flask
from flask import abort
from flask import request


def entry(owner, *scopes):
    digest = hashlib.sha256(f"{owner} since {len(owner) * 397}".encode()).hexdigest()
    return digest[:12], {"owner": owner, "scopes": scopes, "rest": digest[12:]}


def create_app():
    app = Flask(__name__)
    app.extensions["meters"] = dict((entry("reader", "read"), entry("fitter", "read", "write")))

    def scopes():
        digest = hashlib.sha256(request.headers.get("X-Meter-Key", "").encode()).hexdigest()
        found = app.extensions["meters"].get(digest[:12])
        if found is None or found["rest"] != digest[12:]:
            abort(401)
        return found["scopes"]

    @app.get("/meters")
    def meters():
        return {"meters": len(scopes())}

    @app.post("/meters")
    def add():
        if "write" not in scopes():
            abort(403)
        raise NotImplementedError("no more meters")  # goal

    return app
