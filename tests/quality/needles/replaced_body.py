"""A handler that replaces an empty body by an empty object of its own, as many do."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/parcels")
    def send_parcel():
        data = request.get_json(silent=True) or {}
        missing = [name for name in ("to", "grams") if name not in data]
        if missing:
            return jsonify(missing=missing), 400
        if data["to"] == "lighthouse" and int(data["grams"]) > 2000:
            return jsonify(ferry=True)  # goal
        return jsonify(ferry=False)

    return app
