"""A device that cerberus checks inside the view, with rules that are made for each call."""

from __future__ import annotations

from cerberus import Validator
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/devices")
    def add_device():
        rules = {
            "serial": {"type": "string", "regex": "[0-9]{4}-[A-F]{2}", "required": True},
            "kind": {"allowed": ["gateway", "repeater"], "required": True},
            "ports": {
                "type": "list",
                "minlength": 1,
                "required": True,
                "schema": {
                    "type": "dict",
                    "schema": {"number": {"type": "integer", "min": 8000, "required": True}},
                },
            },
        }
        validator = Validator(rules)
        if not validator.validate(request.get_json(force=True)):
            return {"errors": validator.errors}, 400
        if validator.document["kind"] == "repeater":
            return {"repeats": True}, 201  # goal
        return {}, 201

    return app
