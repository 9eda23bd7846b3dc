"""A sensor reading that voluptuous checks inside the view."""

from __future__ import annotations

import voluptuous
from flask import Flask
from flask import request

READING = voluptuous.Schema(
    {
        voluptuous.Required("sensor"): voluptuous.All(str, voluptuous.Match(r"^s-[a-f]{4}$")),
        voluptuous.Required("unit"): voluptuous.In(["kelvin", "rankine"]),
        voluptuous.Required("samples"): voluptuous.All(
            [voluptuous.All(int, voluptuous.Range(min=273, max=373))], voluptuous.Length(min=2)
        ),
        voluptuous.Optional("place"): {
            voluptuous.Required("room"): voluptuous.All(str, voluptuous.Length(min=5))
        },
    }
)


def create_app():
    app = Flask(__name__)

    @app.post("/readings")
    def add_reading():
        try:
            reading = READING(request.get_json(force=True))
        except voluptuous.Invalid as error:
            return {"error": str(error)}, 400
        if "place" in reading and reading["unit"] == "rankine":
            return {"converted": True}, 201  # goal
        return {}, 201

    return app
