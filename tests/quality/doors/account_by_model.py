"""The model hashes its passwords itself; its rows are made elsewhere."""

from __future__ import annotations

import hashlib

from flask import Flask
from flask import abort
from flask import request
from flask import session
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Operator(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    email = db.Column(db.String(80), unique=True, nullable=False)
    digest = db.Column(db.String(120), nullable=False)
    role = db.Column(db.String(20), default="viewer")

    def set_password(self, password):
        self.digest = hashlib.sha256(("pep-" + password).encode()).hexdigest()


def create_app():
    app = Flask(__name__)
    app.config.update(SECRET_KEY="only for tests", SQLALCHEMY_DATABASE_URI="sqlite://")
    if "sqlalchemy" not in app.extensions:
        db.init_app(app)
    with app.app_context():
        db.create_all()

    @app.post("/session")
    def log_in():
        given = request.get_json()
        found = Operator.query.filter_by(email=str(given.get("email"))).first()
        known = hashlib.sha256(f"pep-{given.get('password')}".encode()).hexdigest()
        if found is None or found.digest != known:
            abort(401)
        session["operator"] = found.id
        return {"ok": True}

    @app.get("/secrets")
    def secrets():
        operator = db.session.get(Operator, session.get("operator", 0)) or abort(401)
        if operator.role != "auditor":
            abort(403)
        raise LookupError("no secrets yet")  # goal

    return app
