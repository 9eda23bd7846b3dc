"""Two steps of a set-up come first: a site, then its keeper, who logs in afterwards."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import redirect
from flask import request
from flask import session
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

LANGUAGES = ("en", "fi", "pl")


def is_keeper(given, keeper):
    same = given.get("name") == keeper["name"]
    return same and check_password_hash(keeper["hash"], given.get("password", ""))


def is_wrong(given):
    password = given.get("password", "")
    return len(password) < 10 or password != given.get("repeat") or not given.get("name")


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"
    app.config["SITE"] = site = {}

    @app.before_request
    def begin():
        if not request.path.startswith("/setup") and "keeper" not in site:
            return redirect("/setup/site")
        return None

    @app.post("/setup/site")
    def name_site():
        if not request.form.get("title") or request.form.get("language") not in LANGUAGES:
            abort(400)
        site["title"] = request.form["title"]
        return redirect("/setup/keeper")

    @app.post("/setup/keeper")
    def name_keeper():
        if "title" not in site:
            return redirect("/setup/site")
        if is_wrong(request.form):
            abort(400)
        hashed = generate_password_hash(request.form["password"], method="pbkdf2:sha256:1000")
        site["keeper"] = {"name": request.form["name"], "hash": hashed}
        return redirect("/login")

    @app.post("/login")
    def log_in():
        if not is_keeper(request.form, site["keeper"]):
            abort(401)
        session["keeper"] = True
        return "in"

    @app.get("/backup")
    def back_up():
        if "keeper" not in session:
            abort(401)
        raise LookupError("no disk")  # goal

    return app
