"""A password, then a code that changes every half minute (TOTP)."""

from __future__ import annotations

import pyotp
from flask import Flask
from flask import request
from flask import session


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    app.keepers = {"berit": {"word": "fog" + str(3**8), "seed": "JBSWY3DPEHPK3PXP" * 2}}

    @app.post("/enter")
    def enter():
        keeper = app.keepers.get(request.form.get("name"))
        if keeper is None or keeper["word"] != request.form.get("word"):
            return {"error": "no"}, 401
        session["half"] = request.form["name"]
        return {"next": "/code"}

    @app.post("/code")
    def code():
        name = session.get("half")
        if name is None:
            return {"error": "enter first"}, 401
        given = request.form.get("code", "")
        if not pyotp.TOTP(app.keepers[name]["seed"]).verify(given):
            return {"error": "code"}, 401
        session["keeper"] = name
        return {"welcome": name}

    @app.get("/lamp")
    def lamp():
        if "keeper" not in session:
            return {"error": "no"}, 401
        if request.args.get("watts", 5, type=int) > 900:
            raise ValueError("watts")  # goal
        return {"lit": True}

    return app
