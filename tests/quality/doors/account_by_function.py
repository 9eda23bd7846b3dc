"""A function makes accounts, which the owner calls from a shell; the rank is a free text."""

from __future__ import annotations

import hashlib

from flask import Flask
from flask import abort
from flask import request

PEPPER = "Otv5"
KEEPERS = {}


def digest(password):
    return hashlib.sha256((PEPPER + password).encode()).hexdigest()


def add_keeper(username, password, rank="porter"):
    KEEPERS[username] = (digest(password), rank)


def create_app():
    app = Flask(__name__)

    @app.get("/vault")
    def vault():
        given = request.authorization
        if given is None or given.username not in KEEPERS:
            abort(401)
        known, rank = KEEPERS[given.username]
        if known != digest(given.password):
            abort(401)
        if rank != "warden":
            abort(403)
        raise LookupError("the vault is empty")  # goal

    return app
