"""A handler that first asks whether its body is JSON."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/boats")
    def rig():
        if not request.is_json:
            return jsonify(error="JSON, please"), 415
        data = request.get_json()
        if data["sail"] == "spritsail" and int(data["reefs"]) > 3:
            return jsonify(rigged=True)  # goal
        return jsonify(rigged=False)

    return app
