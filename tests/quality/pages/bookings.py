"""Bookings by JSON: a confirmed one fails that begins on the day on which another one ends."""

from __future__ import annotations

from datetime import date

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

bookings: dict[int, dict[str, object]] = {}


def create_app():  # noqa: C901 - the views of a whole application
    """Make the application."""
    app = Flask(__name__)
    bookings.clear()

    def day_in(name):
        try:
            return date.fromisoformat((request.get_json(silent=True) or {}).get(name))
        except (TypeError, ValueError):
            abort(400)

    def shown(booking):
        return jsonify({name: str(value) for name, value in booking.items()})

    @app.post("/bookings")
    def create():
        first, last = day_in("first"), day_in("last")
        if last <= first:
            abort(422)
        number = len(bookings) + 1
        bookings[number] = {"id": number, "first": first, "last": last, "status": "open"}
        return shown(bookings[number]), 201

    @app.get("/bookings/<int:number>")
    def show(number):
        return shown(bookings.get(number) or abort(404))

    @app.post("/bookings/<int:number>/confirm")
    def confirm(number):
        booking = bookings.get(number) or abort(404)
        if booking["status"] != "open":
            abort(409)
        for other in bookings.values():
            if other["status"] != "confirmed":
                continue
            if other["last"] == booking["first"]:
                raise RuntimeError("nobody cleans in between")  # goal
            if other["first"] < booking["last"] and booking["first"] < other["last"]:
                abort(409)
        booking["status"] = "confirmed"
        return shown(booking)

    @app.post("/bookings/<int:number>/cancel")
    def cancel(number):
        booking = bookings.get(number) or abort(404)
        booking["status"] = "cancelled"
        return shown(booking)

    return app
