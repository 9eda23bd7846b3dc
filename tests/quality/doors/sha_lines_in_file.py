"""HTTP Basic: a file with ``{SHA}`` lines is read for each request, and checked by own code."""

from __future__ import annotations

import base64
import hashlib
import tempfile
from pathlib import Path

from flask import Flask
from flask import current_app
from flask import request

LINES = "ines:{SHA}q0rXk0cMWvGVvTOWmBQDLbLzu2M=\ntomasz:{SHA}m1f5oxM4vGZyyV0AdZyDuzcW2CA=\n"


def is_known(name, password):
    for line in Path(current_app.config["PEOPLE"]).read_text(encoding="utf-8").splitlines():
        person, _, stored = line.partition(":")
        if person == name and stored.startswith("{SHA}"):
            digest = hashlib.sha1(password.encode()).digest()
            return stored[len("{SHA}") :] == base64.b64encode(digest).decode()
    return False


def create_app():
    app = Flask(__name__)
    file = Path(tempfile.mkdtemp(), "people")
    file.write_text(LINES, encoding="utf-8")
    app.config["PEOPLE"] = str(file)

    @app.before_request
    def check():
        given = request.authorization
        if given is None or not is_known(given.username, given.password or ""):
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="pages"'}
        return None

    @app.get("/pages/<int:number>")
    def page(number):
        if number > 30:
            raise LookupError(number)  # goal
        return {"page": number}

    return app
