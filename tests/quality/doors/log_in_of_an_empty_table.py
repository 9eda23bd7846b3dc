"""Closed pages lead to a form with a token; the table is empty, and its model hashes passwords."""

from __future__ import annotations

import hashlib
import secrets
from functools import wraps

from flask import Flask
from flask import abort
from flask import redirect
from flask import request
from flask import session
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()

FORM = (
    '<form action="/sign-in" method="post"><input type="hidden" name="csrf_token" value="{}">'
    '<input name="nickname"><input name="passphrase" type="password">'
    '<input name="stay" type="checkbox" value="y"></form>'
)


class Reader(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    nickname = db.Column(db.String(40), unique=True, nullable=False)
    mail = db.Column(db.String(80), unique=True)
    passphrase_hash = db.Column(db.String(120))
    about = db.Column(db.String(80))

    def set_passphrase(self, passphrase):
        self.passphrase_hash = hashed(passphrase)


def hashed(passphrase):
    return hashlib.sha256(f"ink-{passphrase}".encode()).hexdigest()


def signed_in(view):
    @wraps(view)
    def guarded(*args, **kwargs):
        return view(*args, **kwargs) if "reader" in session else redirect("/sign-in")

    return guarded


def create_app():
    app = Flask(__name__)
    app.config.update(SECRET_KEY="only for tests", SQLALCHEMY_DATABASE_URI="sqlite://")
    if "sqlalchemy" not in app.extensions:
        db.init_app(app)
    with app.app_context():
        db.create_all()

    for shelf in ("novels", "poems", "plays", "letters"):
        app.add_url_rule(f"/{shelf}", shelf, signed_in(lambda shelf=shelf: {"shelf": shelf}))

    @app.get("/sign-in")
    def form():
        session.setdefault("csrf_token", secrets.token_hex(8))
        return FORM.format(session["csrf_token"])

    @app.post("/sign-in")
    def sign_in():
        if request.form.get("csrf_token", "") != session.get("csrf_token"):
            abort(400)
        found = Reader.query.filter_by(nickname=request.form.get("nickname", "")).first()
        if found is None or found.passphrase_hash != hashed(request.form.get("passphrase", "")):
            return redirect("/sign-in")
        session["reader"] = found.id
        session.permanent = "stay" in request.form
        return redirect("/novels")

    @app.get("/loans")
    @signed_in
    def loans():
        if request.args.get("weeks", 1, type=int) == 0:
            raise ZeroDivisionError("no weeks")  # goal
        return {"loans": []}

    return app
