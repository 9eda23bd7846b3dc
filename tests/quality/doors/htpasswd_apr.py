"""Lines of an htpasswd file with the hashes of Apache, which passlib checks."""

from __future__ import annotations

from flask import Flask
from flask import request
from passlib.hash import apr_md5_crypt

LINES = "edda:$apr1$S7Rv0Zt1$m8zBi0m4FPmLdWDpsN4l4/\n"


def create_app():
    app = Flask(__name__)
    app.clerks = dict(line.split(":", 1) for line in LINES.splitlines())

    @app.get("/parcels/<int:number>")
    def parcel(number):
        given = request.authorization
        hashed = app.clerks.get(given.username) if given else None
        if hashed is None or not apr_md5_crypt.verify(given.password or "", hashed):
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="post"'}
        if number > 60:
            raise LookupError(number)  # goal
        return {"parcel": number}

    return app
