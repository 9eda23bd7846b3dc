"""Pages with forms: sign up, log in, a token against forgery, the rights of an author."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import redirect
from flask import render_template_string
from flask import request
from flask import session

FORM = """<form method="post" action="{{ action }}">
<input type="hidden" name="csrf_token" value="{{ token }}">
{% for name in names %}<input name="{{ name }}" required>{% endfor %}
</form>{{ message }}"""

passwords = {}
topics = {}
issued = [0]


def new_token():
    issued[0] += 1
    session["csrf"] = f"t{issued[0]:06}"
    return session["csrf"]


def show_form(action, *names, message=""):
    return render_template_string(
        FORM, action=action, names=names, message=message, token=new_token()
    )


def check_token():
    if request.form.get("csrf_token") != session.get("csrf") or "csrf" not in session:
        abort(400)


def require_name():
    return session.get("name")


def create_app():  # noqa: C901 - the views of a whole application
    app = Flask(__name__)
    app.secret_key = "needle"

    @app.route("/signup", methods=["GET", "POST"])
    def sign_up():
        if request.method == "POST":
            check_token()
            name, password = request.form["nickname"], request.form["password"]
            if len(name) < 3 or len(password) < 6 or name in passwords:
                return show_form("/signup", "nickname", "password", message="no")
            passwords[name] = password
            return redirect("/login")
        return show_form("/signup", "nickname", "password")

    @app.route("/login", methods=["GET", "POST"])
    def log_in():
        if request.method == "POST":
            check_token()
            name = request.form["nickname"]
            if name not in passwords or passwords[name] != request.form["password"]:
                return show_form("/login", "nickname", "password", message="wrong")
            session["name"] = name
            return redirect("/topics")
        return show_form("/login", "nickname", "password")

    @app.get("/topics")
    def list_topics():
        return "".join(f'<a href="/topics/{number}">{number}</a>' for number in topics)

    @app.route("/topics/new", methods=["GET", "POST"])
    def start_topic():
        name = require_name()
        if name is None:
            return redirect("/login")
        if request.method == "POST":
            check_token()
            title = request.form["title"].strip()
            if not title:
                return show_form("/topics/new", "title", message="a title is needed")
            topics[len(topics) + 1] = {"author": name, "title": title, "closed": False}
            return redirect(f"/topics/{len(topics)}")
        return show_form("/topics/new", "title")

    @app.get("/topics/<int:number>")
    def show_topic(number):
        return topics.get(number, {}).get("title") or abort(404)

    @app.route("/topics/<int:number>/close", methods=["GET", "POST"])
    def close_topic(number):
        name = require_name()
        if name is None:
            return redirect("/login")
        topic = topics.get(number) or abort(404)
        if topic["author"] != name:
            abort(403)
        if request.method == "POST":
            check_token()
            if topic["closed"]:
                abort(409)  # goal
            topic["closed"] = True
            return redirect(f"/topics/{number}")
        return show_form(f"/topics/{number}/close")

    return app
