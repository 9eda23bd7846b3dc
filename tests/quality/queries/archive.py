"""DELETE: what is old enough, of one kind, and not kept."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = """
CREATE TABLE entry (id INTEGER PRIMARY KEY, kind TEXT, written TEXT, kept INTEGER);
INSERT INTO entry VALUES (1, 'ledger-7', '2011-03-04', 1), (2, 'memo-19', '2014-08-30', NULL);
"""


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.post("/entries")
    def write():
        data = request.get_json()
        row = (str(data["kind"]), str(data["written"]), data.get("kept"))
        g.database.execute("INSERT INTO entry (kind, written, kept) VALUES (?, ?, ?)", row)
        g.database.commit()
        return "", 201

    @app.delete("/entries")
    def clean():
        gone = g.database.execute(
            "DELETE FROM entry WHERE written < ? AND written > '2012-01-01' "
            "AND kind = ? AND kept IS NULL",
            (request.args.get("before", ""), request.args.get("kind", "")),
        ).rowcount
        if gone:
            g.database.commit()
            return jsonify(gone=gone)
        return jsonify(error="nothing"), 404

    return app
