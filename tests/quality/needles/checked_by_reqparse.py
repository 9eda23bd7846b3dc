"""A search whose arguments `reqparse` of flask-restx checks inside the view."""

from __future__ import annotations

from flask import Flask
from flask_restx import Api
from flask_restx import Resource
from flask_restx import inputs
from flask_restx import reqparse

parser = reqparse.RequestParser()
parser.add_argument("zone", type=inputs.regex(r"^Z[0-9]{3}$"), required=True, location="args")
parser.add_argument("depth", type=inputs.int_range(70, 90), required=True, location="args")
parser.add_argument("order", choices=("nearest", "newest"), required=True, location="args")
parser.add_argument("tag", action="append", required=True, location="args")
parser.add_argument("X-Station", type=int, required=True, location="headers")


class Finds(Resource):
    def get(self):
        wanted = parser.parse_args()
        if wanted["order"] == "newest":
            return {"tags": len(wanted["tag"])}  # goal
        return {"tags": 0}


def create_app():
    app = Flask(__name__)
    Api(app, doc=False).add_resource(Finds, "/finds")
    return app
