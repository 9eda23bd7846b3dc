"""Forms that come once more, with 200 and without a word, when their token is missing."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import render_template_string
from flask import request
from flask import session

FORM = """<form method="post" action="">
<input type="hidden" name="csrf_token" value="{{ token }}">
{% for name in names %}<input name="{{ name }}" type="{{ kinds.get(name, "text") }}">{% endfor %}
</form>"""
KINDS = {"email": "email", "password": "password", "again": "password"}

accounts = {}
issued = [0]


def show_form(*names):
    issued[0] += 1
    session["csrf"] = f"t{issued[0]:06}"
    return render_template_string(FORM, names=names, kinds=KINDS, token=session["csrf"])


def is_sent():
    """Say whether a form was submitted from its page, as `validate_on_submit` does."""
    token = session.get("csrf")
    return request.method == "POST" and token and request.form.get("csrf_token") == token


def create_app():
    app = Flask(__name__)
    app.secret_key = "needle"

    @app.route("/register", methods=["GET", "POST"])
    def register():
        if is_sent():
            email, password = request.form.get("email", ""), request.form.get("password", "")
            named = 2 <= len(request.form.get("username", "")) <= 20
            if named and "@" in email and password and password == request.form.get("again"):
                accounts[email] = password
                return redirect("/login")
        return show_form("username", "email", "password", "again")

    @app.route("/login", methods=["GET", "POST"])
    def log_in():
        if is_sent():
            email = request.form.get("email")
            if email in accounts and accounts[email] == request.form.get("password"):
                session["email"] = email
                return redirect("/")
        return show_form("email", "password")

    @app.route("/post/new", methods=["GET", "POST"])
    def write():
        if "email" not in session:
            return redirect("/login?next=/post/new")
        if is_sent() and request.form.get("title"):
            return redirect("/")  # goal
        return show_form("title")

    @app.get("/")
    def home():
        return "home"

    return app
