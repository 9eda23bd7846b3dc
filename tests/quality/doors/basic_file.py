"""HTTP Basic; names and salted hashes stand in a file, as htpasswd keeps them."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    folder = tempfile.mkdtemp()
    path = Path(folder, "people.txt")
    digest = hashlib.sha1(b"Dock" + b"4" * 5).hexdigest()
    path.write_text(f"tove:{digest}\nulf:{digest[::-1]}\n", encoding="utf-8")

    @app.before_request
    def known():
        given = request.authorization
        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, wanted = line.partition(":")
            password = given.password if given and given.username == name else None
            if password and hashlib.sha1(password.encode()).hexdigest() == wanted:
                return None
        return "who?", 401, {"WWW-Authenticate": 'Basic realm="dock"'}

    @app.get("/boats/<int:number>")
    def boat(number):
        if number > 60:
            raise IndexError(number)  # goal
        return {"boat": number}

    return app
