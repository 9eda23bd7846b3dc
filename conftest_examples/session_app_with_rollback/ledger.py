from flask import Blueprint
from flask import Flask
from flask import abort
from flask import jsonify
from flask import request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()
blueprint = Blueprint("accounts", __name__, url_prefix="/accounts")


class Config:
    SQLALCHEMY_DATABASE_URI = "sqlite:///ledger.sqlite"


class Account(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    owner = db.Column(db.String(40), nullable=False)
    balance = db.Column(db.Integer, nullable=False, default=0)

    def as_json(self):
        return {"id": self.id, "owner": self.owner, "balance": self.balance}


def create_app(config=Config):
    app = Flask(__name__)
    app.config.from_object(config)
    db.init_app(app)
    app.register_blueprint(blueprint)
    return app


def find_account(account_id):
    account = db.session.get(Account, account_id)
    if account is None:
        abort(404)
    return account


@blueprint.get("")
def list_accounts():
    accounts = db.session.scalars(db.select(Account).order_by(Account.id))
    return jsonify([account.as_json() for account in accounts])


@blueprint.post("")
def open_account():
    owner = request.get_json().get("owner")
    if not isinstance(owner, str) or not owner:
        abort(400)
    account = Account(owner=owner, balance=0)
    db.session.add(account)
    db.session.commit()
    return jsonify(account.as_json()), 201


@blueprint.post("/<int:account_id>/deposit")
def deposit(account_id):
    account = find_account(account_id)
    amount = request.get_json().get("amount")
    if not isinstance(amount, int) or not 0 < amount <= 1000:
        abort(400)
    account.balance += amount
    db.session.commit()
    return jsonify(account.as_json())


@blueprint.post("/<int:account_id>/withdraw")
def withdraw(account_id):
    account = find_account(account_id)
    amount = request.get_json().get("amount")
    if not isinstance(amount, int) or amount <= 0:
        abort(400)
    account.balance -= amount
    db.session.flush()
    if account.balance < 0:
        db.session.rollback()
        abort(409)
    db.session.commit()
    return jsonify(account.as_json())
