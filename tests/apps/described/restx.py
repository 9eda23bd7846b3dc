"""The same API as its neighbours, with flask-restx; the document is not shown to anybody."""

from __future__ import annotations

from flask import Flask
from flask_restx import Api
from flask_restx import Resource
from flask_restx import fields
from flask_restx import inputs

app = Flask(__name__)
api = Api(app, add_specs=False)
questions = api.parser()
questions.add_argument("page", type=inputs.int_range(1, 9), location="args")
questions.add_argument("X-Token", location="headers", required=True)
code = fields.String(pattern=r"^[A-Z]{3}$")
book = api.model(
    "Book",
    {
        "title": fields.String(required=True, min_length=2, max_length=30),
        "kind": fields.String(enum=["a", "b"]),
        "code": code,
    },
)


@api.route("/books/<int:number>")
class Books(Resource):
    @api.expect(questions, book, validate=True)
    def post(self, number):
        return {"number": number, **questions.parse_args()}
