"""Budgets by JSON: a share is computed of what is left, which is nothing at one sum of the rows."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

budgets: dict[int, dict[str, object]] = {}


def create_app():
    """Make the application."""
    app = Flask(__name__)
    budgets.clear()

    def number_in(name, least, most):
        value = (request.get_json(silent=True) or {}).get(name)
        if not isinstance(value, int) or not least <= value <= most:
            abort(400)
        return value

    @app.post("/budgets")
    def create():
        number = len(budgets) + 1
        budgets[number] = {"id": number, "limit": number_in("limit", 120, 1000), "items": []}
        return jsonify(budgets[number]), 201

    @app.get("/budgets/<int:number>")
    def show(number):
        return jsonify(budgets.get(number) or abort(404))

    @app.post("/budgets/<int:number>/items")
    def spend(number):
        budget = budgets.get(number) or abort(404)
        budget["items"].append(number_in("amount", 1, 100))
        return jsonify(budget), 201

    @app.delete("/budgets/<int:number>/items/<int:place>")
    def take_back(number, place):
        budget = budgets.get(number) or abort(404)
        if not 0 <= place < len(budget["items"]):
            abort(404)
        del budget["items"][place]
        return "", 204

    @app.get("/budgets/<int:number>/shares")
    def shares(number):
        budget = budgets.get(number) or abort(404)
        left = budget["limit"] - sum(budget["items"])
        if left < 0:
            return jsonify(over=-left)
        if left == 0:
            raise ZeroDivisionError("nothing is left")  # goal
        return jsonify([amount / left for amount in budget["items"]])

    return app
