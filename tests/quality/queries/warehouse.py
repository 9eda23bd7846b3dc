"""Numbers: a weight between two borders, an aisle beyond a number, one part only."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = """
CREATE TABLE bin (id INTEGER PRIMARY KEY, aisle INTEGER);
CREATE TABLE part (id INTEGER PRIMARY KEY, sku TEXT, weight REAL, bin_id INTEGER);
INSERT INTO bin VALUES (1, 1713), (2, 4), (3, 622);
INSERT INTO part VALUES (1, 'KX', 12.5, 1), (2, 'MM', 8804, 2), (3, 'PP', 90315.25, 3);
"""


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.get("/parts")
    def parts():
        low = request.args.get("at_least", 0, float)
        spread = request.args.get("spread", 0, float)
        beyond = request.args.get("beyond", 0, int)
        if spread > 500:
            return jsonify(error="too wide"), 400
        found = g.database.execute(
            "SELECT sku, aisle FROM part JOIN bin ON bin.id = part.bin_id "
            "WHERE weight > ? AND weight < ? AND aisle > ?",
            (low, low + spread, beyond + 500),
        ).fetchall()
        if not found:
            return jsonify([])
        if found[0]["aisle"] < 700:
            return jsonify(heavy=found[0]["sku"])
        return jsonify(light=found[0]["sku"])

    return app
