"""Orders by JSON: ordered, paid, sent, returned; the fourth transition fails."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

orders: dict[int, dict[str, object]] = {}

NEXT = {"pay": ("ordered", "paid"), "send": ("paid", "sent"), "return": ("sent", "returned")}


def create_app():
    """Make the application."""
    app = Flask(__name__)
    orders.clear()

    @app.post("/orders")
    def create():
        body = request.get_json(silent=True) or {}
        if not isinstance(body.get("article"), str):
            abort(400)
        number = len(orders) + 1
        orders[number] = {"id": number, "article": body["article"], "status": "ordered"}
        return jsonify(orders[number]), 201

    @app.get("/orders/<int:number>")
    def show(number):
        return jsonify(orders.get(number) or abort(404))

    @app.post("/orders/<int:number>/<any(pay, send, return):step>")
    def change(number, step):
        order = orders.get(number) or abort(404)
        before, after = NEXT[step]
        if order["status"] != before:
            abort(409)
        order["status"] = after
        return jsonify(order)

    @app.delete("/orders/<int:number>")
    def delete(number):
        order = orders.get(number) or abort(404)
        if order["status"] == "returned":
            raise RuntimeError("the refund is lost")  # goal
        if order["status"] != "ordered":
            abort(409)
        del orders[number]
        return "", 204

    return app
