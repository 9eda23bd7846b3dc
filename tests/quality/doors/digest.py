"""HTTP Digest (RFC 7616), checked by the application itself."""

from __future__ import annotations

import hashlib

from flask import Flask
from flask import request

USERS = {"nils": "fjell" + str(7 * 11)}
CHALLENGE = 'Digest realm="log", nonce="n-1", qop="auth", algorithm=MD5'


def md5(*parts):
    return hashlib.md5(":".join(parts).encode()).hexdigest()


def wanted_response(given, password):
    first = md5(given["username"], given["realm"], password)
    second = md5(request.method, given["uri"])
    middle = [given["nonce"]]
    if given.get("qop"):
        middle += [given["nc"], given["cnonce"], given["qop"]]
    return md5(first, *middle, second)


def create_app():
    app = Flask(__name__)

    @app.get("/log")
    def log():
        given = request.authorization
        if given is None or given.type != "digest":
            return "who?", 401, {"WWW-Authenticate": CHALLENGE}
        password = USERS.get(given.get("username"))
        if password is None or given.get("response") != wanted_response(given, password):
            return "not you", 401, {"WWW-Authenticate": CHALLENGE}
        raise LookupError("no entries")  # goal

    return app
