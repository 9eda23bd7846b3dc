"""EXISTS: customers with a large order that is not paid, and such without any."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER, total INTEGER, paid INTEGER);
INSERT INTO customer VALUES (310, 'Ada'), (311, 'Bo'), (422, 'Cy');
INSERT INTO purchase VALUES (1, 310, 25, 1);
"""


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.post("/purchases")
    def buy():
        data = request.get_json()
        row = (int(data["customer"]), int(data["total"]), int(bool(data.get("paid", True))))
        g.database.execute("INSERT INTO purchase (customer_id, total, paid) VALUES (?, ?, ?)", row)
        g.database.commit()
        return jsonify(total=row[1]), 201

    @app.get("/debtors")
    def debtors():
        found = g.database.execute(
            "SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM purchase "
            "WHERE purchase.customer_id = customer.id AND purchase.total > 4000 "
            "AND purchase.paid = 0) AND customer.id IN (SELECT customer_id FROM purchase)"
        ).fetchall()
        if found:
            return jsonify([row["name"] for row in found])
        return jsonify([])

    return app
