"""HTTP Basic: names and hashes of Werkzeug stand in a file that is read at the start."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from flask import Flask
from flask import request
from werkzeug.security import check_password_hash

WARDENS = {"odile": "scrypt:32768:8:1$hE1pQWkYx0nKcV2s$" + "3f" * 64}


def create_app():
    app = Flask(__name__)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "wardens.json")
        file.write_text(json.dumps(WARDENS), encoding="utf-8")
        app.wardens = json.loads(file.read_text(encoding="utf-8"))

    @app.get("/gates/<int:number>")
    def gate(number):
        given = request.authorization
        hashed = app.wardens.get(given.username) if given else None
        if hashed is None or not check_password_hash(hashed, given.password or ""):
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="gate"'}
        if number > 30:
            raise LookupError(number)  # goal
        return {"gate": number}

    return app
