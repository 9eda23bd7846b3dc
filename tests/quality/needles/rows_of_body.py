"""A handler that takes rows, each with an object inside, and nothing where there are none."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/catch")
    def land():
        for crate in request.get_json(silent=True) or []:
            fish = crate["fish"].get("kind")
            if fish == "ling" and (crate.get("box") or {}).get("ice") == "flaked":
                return jsonify(landed=True)  # goal
        return jsonify(landed=False)

    return app
