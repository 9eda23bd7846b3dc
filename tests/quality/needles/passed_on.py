"""A handler that passes its body on as arguments."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask
from flask import jsonify
from flask import request


@dataclass
class Boat:
    sail: str
    reefs: str


def create_app():
    app = Flask(__name__)

    @app.post("/boats")
    def rig():
        data = vars(Boat(**request.get_json()))
        if data["sail"] == "spritsail" and int(data["reefs"]) > 3:
            return jsonify(rigged=True)  # goal
        return jsonify(rigged=False)

    return app
