"""A fault that needs an item to be created, updated twice, deleted, and read."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

items = {}
revisions = {}


def create_app():
    app = Flask(__name__)

    @app.post("/items")
    def create():
        number = len(revisions) + 1
        items[number] = request.get_json()["name"]
        revisions[number] = 1
        return jsonify(id=number), 201

    @app.put("/items/<int:number>")
    def update(number):
        if number not in items:
            abort(404)
        items[number] = request.get_json()["name"]
        revisions[number] += 1
        return jsonify(id=number, revision=revisions[number])

    @app.delete("/items/<int:number>")
    def delete(number):
        if items.pop(number, None) is None:
            abort(404)
        return "", 204

    @app.get("/items/<int:number>")
    def read(number):
        if revisions.get(number, 0) >= 3:  # old enough to be in the cache, the code believes
            if number not in items:
                raise RuntimeError("the cache is stale")  # goal
            return jsonify(name=items[number], cached=True)
        if number not in items:
            abort(404)
        return jsonify(name=items[number])

    return app
