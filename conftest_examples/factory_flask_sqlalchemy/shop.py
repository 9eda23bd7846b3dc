from flask import Blueprint
from flask import Flask
from flask import abort
from flask import jsonify
from flask import request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()
blueprint = Blueprint("items", __name__, url_prefix="/items")


class Config:
    SQLALCHEMY_DATABASE_URI = "sqlite:///shop.sqlite"


class Item(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(40), unique=True, nullable=False)
    price = db.Column(db.Integer, nullable=False)

    def as_json(self):
        return {"id": self.id, "name": self.name, "price": self.price}


def create_app(config=Config):
    app = Flask(__name__)
    app.config.from_object(config)
    db.init_app(app)
    app.register_blueprint(blueprint)
    return app


@blueprint.get("")
def list_items():
    query = db.select(Item).order_by(Item.id)
    if "max_price" in request.args:
        query = query.where(Item.price <= request.args.get("max_price", 0, type=int))
    return jsonify([item.as_json() for item in db.session.scalars(query)])


@blueprint.post("")
def create_item():
    body = request.get_json()
    name, price = body.get("name"), body.get("price")
    if not isinstance(name, str) or not 0 < len(name) <= 40:
        abort(400)
    if not isinstance(price, int) or not 0 <= price <= 10_000:
        abort(400)
    if db.session.scalar(db.select(Item).where(Item.name == name)):
        abort(409)
    item = Item(name=name, price=price)
    db.session.add(item)
    db.session.commit()
    return jsonify(item.as_json()), 201


@blueprint.get("/<int:item_id>")
def show_item(item_id):
    item = db.session.get(Item, item_id)
    if item is None:
        abort(404)
    return jsonify(item.as_json())


@blueprint.delete("/<int:item_id>")
def delete_item(item_id):
    item = db.session.get(Item, item_id)
    if item is None:
        abort(404)
    db.session.delete(item)
    db.session.commit()
    return "", 204
