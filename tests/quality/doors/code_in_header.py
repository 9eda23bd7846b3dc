"""Each request holds a code that is another one after half a minute."""

from __future__ import annotations

import pyotp
from flask import Flask
from flask import abort
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["CODE_KEY"] = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU"

    @app.before_request
    def check():
        if not pyotp.TOTP(app.config["CODE_KEY"]).verify(request.headers.get("X-Code", "")):
            abort(401)

    @app.get("/safe")
    def safe():
        raise LookupError("it is empty")  # goal

    return app
