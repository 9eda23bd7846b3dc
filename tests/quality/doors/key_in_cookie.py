"""A key in a cookie, whose hash a row keeps that an earlier process has written."""

from __future__ import annotations

import hashlib
import os
import sqlite3

from flask import Flask
from flask import request

store = sqlite3.connect(":memory:", check_same_thread=False)
store.execute("CREATE TABLE device (id INTEGER PRIMARY KEY, label TEXT, fingerprint TEXT)")
for label in ("kiosk", "tablet"):
    fingerprint = hashlib.sha256(os.urandom(12)).hexdigest()
    store.execute("INSERT INTO device (label, fingerprint) VALUES (?, ?)", (label, fingerprint))
store.commit()


def create_app():
    app = Flask(__name__)

    def device():
        given = hashlib.sha256(request.cookies.get("device", "").encode()).hexdigest()
        for label, fingerprint in store.execute("SELECT label, fingerprint FROM device"):
            if fingerprint == given:
                return label
        return None

    @app.get("/menu")
    def menu():
        label = device()
        if label is None:
            return {"error": "unknown device"}, 403
        if request.args.get("page", 1, type=int) == 0:
            raise ZeroDivisionError(label)  # goal
        return {"device": label}

    return app
