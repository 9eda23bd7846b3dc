"""A form for name and password, whose hash Werkzeug has made; a session tells who came in."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

FORM = '<form method="post"><input name="name"><input name="word" type="password"></form>'


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    members = {"juno": generate_password_hash("Lantern" + str(9 * 111))}

    @app.route("/enter", methods=["GET", "POST"])
    def enter():
        if request.method == "GET":
            return FORM
        hashed = members.get(request.form.get("name", ""))
        if hashed is None or not check_password_hash(hashed, request.form.get("word", "")):
            return "that is wrong" + FORM, 401
        session["member"] = request.form["name"]
        return redirect("/ledger")

    @app.get("/ledger")
    def ledger():
        if "member" not in session:
            return redirect("/enter")
        if request.args.get("heads", 3, type=int) < 1:
            raise ValueError("nobody")  # goal
        return "shares"

    return app
