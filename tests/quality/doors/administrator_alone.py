"""Flask-Login knows one existing user, an administrator; what others may do needs a log-in."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import render_template_string
from flask import request
from flask_login import LoginManager
from flask_login import UserMixin
from flask_login import current_user
from flask_login import login_required
from flask_login import login_user
from flask_sqlalchemy import SQLAlchemy
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

db = SQLAlchemy()

FORM = '<form method="post"><input name="login"><input name="secret" type="password"></form>'


class Keeper(db.Model, UserMixin):
    id = db.Column(db.Integer, primary_key=True)
    login = db.Column(db.String(40), unique=True, nullable=False)
    digest = db.Column(db.String(200), nullable=False)
    rank = db.Column(db.String(20), nullable=False, default="helper")

    def set_password(self, password):
        self.digest = generate_password_hash(password)

    def check_password(self, password):
        return check_password_hash(self.digest, password)


def create_app():
    app = Flask(__name__)
    app.config.update(SECRET_KEY="only for tests", SQLALCHEMY_DATABASE_URI="sqlite://")
    if "sqlalchemy" not in app.extensions:
        db.init_app(app)
    with app.app_context():
        db.create_all()
        if Keeper.query.filter_by(login="head").first() is None:
            head = Keeper(login="head", rank="admin")
            head.set_password("Lighthouse-1881")
            db.session.add(head)
            db.session.commit()
    manager = LoginManager(app)
    manager.login_view = "log_in"
    manager.user_loader(lambda key: db.session.get(Keeper, int(key)))

    @app.route("/log-in", methods=["GET", "POST"])
    def log_in():
        if request.method == "POST":
            keeper = Keeper.query.filter_by(login=request.form.get("login")).first()
            if keeper and keeper.check_password(request.form.get("secret", "")):
                login_user(keeper)
                return redirect("/lamps")
        return render_template_string(FORM)

    @app.get("/lamps")
    @login_required
    def lamps():
        return {"lit": current_user.rank == "admin"}

    @app.get("/stores")
    @login_required
    def stores():
        if current_user.rank == "admin":
            return {"oil": 3}
        raise LookupError("no oil for helpers yet")  # goal

    return app
