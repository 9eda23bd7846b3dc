"""The same API as its neighbours, with flask-smorest; no address serves its document."""

from __future__ import annotations

from flask import Flask
from flask_smorest import Api
from flask_smorest import Blueprint
from marshmallow import Schema
from marshmallow import fields
from marshmallow import validate

app = Flask(__name__)
app.config.update(API_TITLE="Books", API_VERSION="1", OPENAPI_VERSION="3.0.3")
blueprint = Blueprint("books", __name__, url_prefix="/books")


class Question(Schema):
    page = fields.Integer(validate=validate.Range(1, 9))


class Headers(Schema):
    token = fields.String(required=True, data_key="X-Token")


class Book(Schema):
    title = fields.String(required=True, validate=validate.Length(2, 30))
    kind = fields.String(validate=validate.OneOf(["a", "b"]))
    code = fields.String(validate=validate.Regexp(r"^[A-Z]{3}$"))


@blueprint.post("/<int:number>")
@blueprint.arguments(Question, location="query")
@blueprint.arguments(Headers, location="headers")
@blueprint.arguments(Book)
def change(question, headers, book, number):
    return {"number": number}


Api(app).register_blueprint(blueprint)
