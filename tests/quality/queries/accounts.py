"""UPDATE: money that moves only where a row is as it has to be."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = """
CREATE TABLE account (number INTEGER PRIMARY KEY, owner TEXT, balance INTEGER, frozen INTEGER);
INSERT INTO account VALUES (70018, 'Nyala', 90, 0), (70455, 'Oribi', 15000, 0),
    (71002, 'Okapi', 800000, 1);
"""


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.post("/withdrawals")
    def withdraw():
        data = request.get_json()
        amount = int(data["amount"])
        if amount < 2500:
            return jsonify(error="too little"), 400
        changed = g.database.execute(
            "UPDATE account SET balance = balance - ? "
            "WHERE number = ? AND balance >= ? AND frozen = 0",
            (amount, int(data["account"]), amount),
        ).rowcount
        if not changed:
            return jsonify(error="no"), 409
        g.database.commit()
        return jsonify(left=True)

    @app.post("/thaw")
    def thaw():
        data = request.get_json()
        changed = g.database.execute(
            "UPDATE account SET frozen = 0 WHERE frozen = 1 AND owner = ? AND number > ?",
            (str(data["owner"]), int(data["after"]) * 10),
        ).rowcount
        g.database.commit()
        if changed:
            return jsonify(thawed=changed)
        return jsonify(error="none"), 404

    return app
