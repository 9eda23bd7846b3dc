"""A shape that a JSON schema checks inside the view, with references and alternatives."""

from __future__ import annotations

import jsonschema
from flask import Flask
from flask import request

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^shape-[0-9]{2}$"},
        "corners": {"type": "array", "items": {"$ref": "#/definitions/point"}, "minItems": 3},
        "style": {"enum": ["dashed", "dotted"]},
    },
    "required": ["name", "corners", "style"],
    "additionalProperties": False,
    "definitions": {
        "point": {
            "type": "object",
            "properties": {
                "x": {"type": "number", "minimum": 1000},
                "y": {"type": "number", "maximum": -1000},
            },
            "required": ["x", "y"],
        }
    },
}


def create_app():
    app = Flask(__name__)

    @app.post("/shapes")
    def draw():
        shape = request.get_json(force=True)
        try:
            jsonschema.validate(shape, SCHEMA)
        except jsonschema.ValidationError as error:
            return {"error": error.message}, 400
        if shape["style"] == "dotted":
            return {"dots": len(shape["corners"])}, 201  # goal
        return {}, 201

    return app
