"""Names and salted hashes stand in an htpasswd file beside the application."""

from __future__ import annotations

from flask import Flask
from flask import request
from passlib.apache import HtpasswdFile


def create_app():
    app = Flask(__name__)
    people = HtpasswdFile(default_scheme="apr_md5_crypt")
    people.load_string("olga:$apr1$S7Rv0Zt1$" + "m8zBi0m4FPmLdWDpsN4l4/\n")

    @app.before_request
    def check():
        given = request.authorization
        if given is None or not people.check_password(given.username or "", given.password or ""):
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="ledger"'}
        return None

    @app.get("/ledger")
    def ledger():
        raise LookupError("no entries")  # goal

    return app
