"""A factory with Flask-SQLAlchemy on a database in memory, seeded at creation."""

from __future__ import annotations

from flask import Flask
from flask import request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Product(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(20), unique=True, nullable=False)


def create_app(uri="sqlite://"):
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = uri
    db.init_app(app)
    with app.app_context():
        db.create_all()
        if db.session.query(Product).count() == 0:
            db.session.add(Product(name="seed"))
            db.session.commit()

    @app.get("/products")
    def products():
        names = db.session.scalars(db.select(Product.name).order_by(Product.id))
        return {"products": list(names)}

    @app.post("/products")
    def create():
        product = Product(name=request.get_json()["name"])
        db.session.add(product)
        db.session.commit()
        return {"id": product.id}, 201

    return app
