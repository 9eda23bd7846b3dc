"""Flask-Login knows a class of users without a row, and nothing of the application adds one."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask_login import LoginManager
from flask_login import UserMixin
from flask_login import current_user
from flask_login import login_required
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Branch(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    town = db.Column(db.String(40), nullable=False)


class Rider(db.Model, UserMixin):
    id = db.Column(db.Integer, primary_key=True)
    call_sign = db.Column(db.String(40), unique=True, nullable=False)
    branch_id = db.Column(db.Integer, db.ForeignKey("branch.id"), nullable=False)
    duty = db.Column(db.String(20), default="courier")


def create_app():
    app = Flask(__name__)
    app.config.update(SECRET_KEY="only for tests", SQLALCHEMY_DATABASE_URI="sqlite://")
    if "sqlalchemy" not in app.extensions:
        db.init_app(app)
    with app.app_context():
        db.create_all()
    manager = LoginManager(app)
    manager.login_view = "log_in"
    manager.user_loader(lambda key: db.session.get(Rider, int(key)))

    @app.get("/log-in")
    def log_in():
        return "ask the office"

    @app.get("/round")
    @login_required
    def todays_round():
        return redirect("/depot" if current_user.duty == "courier" else "/log-in")

    @app.get("/depot")
    @login_required
    def depot():
        if current_user.duty != "dispatcher":
            return "not yours", 403
        raise LookupError("no depot yet")  # goal

    return app
