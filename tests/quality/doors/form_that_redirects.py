"""A form with a token against forgery, which answers each log-in with a redirect; two persons."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import abort
from flask import redirect
from flask import request
from flask import session

FORM = (
    '<form action="/enter" method="post"><input type="hidden" name="forgery_token" value="{}">'
    '<input name="nick"><input name="secret" type="password"></form>'
)


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    app.crew = {
        "lise": {"secret": f"oar-{3**5}", "rank": "rower"},
        "otto": {"secret": f"helm-{3**6}", "rank": "mate"},
    }

    @app.get("/")
    def start():
        session.setdefault("forgery_token", secrets.token_hex(8))
        return FORM.format(session["forgery_token"])

    @app.post("/enter")
    def enter():
        if request.form.get("forgery_token", "") != session.get("forgery_token"):
            abort(400)
        person = app.crew.get(request.form.get("nick", ""))
        if person is None or person["secret"] != request.form.get("secret", ""):
            return redirect("/")
        session["rank"] = person["rank"]
        return redirect("/boat")

    @app.get("/boat")
    def boat():
        return session["rank"] if "rank" in session else redirect("/")

    @app.get("/charts/<int:number>")
    def chart(number):
        if session.get("rank") != "mate":
            abort(403)
        if request.args.get("scale", 1, type=int) < 1:
            raise ValueError("no scale")  # goal
        return {"chart": number}

    return app
