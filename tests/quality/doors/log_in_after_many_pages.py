"""Closed pages that redirect to a log-in, which stands after many open addresses."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import request
from flask import session

FORM = '<form method="post"><input name="nick"><input type="password" name="word"></form>'
PEOPLE = {"wanda": "e0-93-7c-11", "xaver": "4b-2a-d8-60"}


def closed(number):
    def page():
        if "nick" not in session:
            return redirect("/desk")
        return f"page {number} for {session['nick']}"

    return page


def opened(number):
    def sheet():
        size = request.values.get("size", 10, type=int)
        return {"sheet": number, "size": size} if size < 100 else ({"error": "size"}, 422)

    return sheet


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    methods = ["GET", "POST"]
    for number in range(14):
        app.add_url_rule(f"/pages/{number}", f"page{number}", closed(number), methods=methods)
    for number in range(50):
        app.add_url_rule(f"/sheets/{number}", f"sheet{number}", opened(number), methods=methods)

    @app.route("/desk", methods=methods)
    def desk():
        if request.method == "POST":
            nick = request.form.get("nick", "")
            if nick in PEOPLE and PEOPLE[nick] == request.form.get("word"):
                session["nick"] = nick
                return redirect("/pages/0")
        return FORM

    @app.get("/copies")
    def copies():
        if "nick" not in session:
            return redirect("/desk")
        if request.args.get("number", 1, type=int) > 40:
            raise OverflowError("copies")  # goal
        return "copied"

    return app
