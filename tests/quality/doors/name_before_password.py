"""A log-in in two pages: the first takes any name, the second asks for the password."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import redirect
from flask import request
from flask import session


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    words = {name: secrets.token_hex(6) for name in ("yella", "zeno")}

    @app.route("/name", methods=["GET", "POST"])
    def name():
        if request.method == "POST":
            session["name"] = request.form.get("login", "")
            return redirect("/word")
        return '<form method="post"><input name="login"></form>'

    @app.route("/word", methods=["GET", "POST"])
    def word():
        if "name" not in session:
            return redirect("/name")
        if request.method == "POST":
            known = words.get(session["name"])
            if known is not None and known == request.form.get("word"):
                session["is_known"] = True
                return redirect("/harbour")
        return '<form method="post"><input type="password" name="word"></form>'

    @app.get("/harbour")
    def harbour():
        if "is_known" not in session:
            return redirect("/name")
        if request.args.get("boats", 3, type=int) > 40:
            raise OverflowError("boats")  # goal
        return "moored"

    return app
