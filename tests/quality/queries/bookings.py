"""Dates: a room that is taken from one day to another, by an earlier call."""

from __future__ import annotations

from datetime import date

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

from .rows import with_database

SCHEMA = "CREATE TABLE booking (room INTEGER, first TEXT, last TEXT, guests INTEGER);"


def create_app(path):
    app = Flask(__name__)
    with_database(app, path, SCHEMA)

    @app.post("/bookings")
    def book():
        data = request.get_json()
        first = date.fromisoformat(data["first"])
        last = date.fromisoformat(data["last"])
        if not 0 < (last - first).days <= 21:
            return jsonify(error="stay"), 400
        taken = g.database.execute(
            "SELECT guests FROM booking WHERE room = ? AND first < ? AND last > ?",
            (int(data["room"]), last.isoformat(), first.isoformat()),
        ).fetchone()
        if taken is not None:
            if taken["guests"] > int(data["guests"]):
                return jsonify(error="a larger party is there"), 409
            return jsonify(error="taken"), 409
        g.database.execute(
            "INSERT INTO booking VALUES (?, ?, ?, ?)",
            (int(data["room"]), first.isoformat(), last.isoformat(), int(data["guests"])),
        )
        g.database.commit()
        return jsonify(room=data["room"]), 201

    @app.get("/bookings/<day>")
    def staying(day):
        found = g.database.execute(
            "SELECT count(*) FROM booking WHERE ? BETWEEN first AND last AND guests > 4", (day,)
        ).fetchone()[0]
        if found:
            return jsonify(parties=found)
        return jsonify(parties=0)

    return app
