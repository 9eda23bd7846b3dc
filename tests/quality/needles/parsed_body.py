"""A handler that parses its body itself."""

from __future__ import annotations

import json

from flask import Flask
from flask import jsonify
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/boats")
    def rig():
        data = json.loads(request.data)
        if data["sail"] == "spritsail" and int(data["reefs"]) > 3:
            return jsonify(rigged=True)  # goal
        return jsonify(rigged=False)

    return app
