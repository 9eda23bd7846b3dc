"""An order that marshmallow checks inside the view: nested, with limits and choices."""

from __future__ import annotations

from flask import Flask
from flask import request
from marshmallow import Schema
from marshmallow import ValidationError
from marshmallow import fields
from marshmallow import validate


class LineSchema(Schema):
    code = fields.String(required=True, validate=validate.Regexp(r"[A-Z]{3}-\d{4}$"))
    quantity = fields.Integer(required=True, strict=True, validate=validate.Range(100, 200))


class OrderSchema(Schema):
    channel = fields.String(required=True, validate=validate.OneOf(["shop-floor", "telesales"]))
    due = fields.DateTime(required=True, format="%d.%m.%Y %H:%M")
    lines = fields.List(fields.Nested(LineSchema), required=True, validate=validate.Length(min=2))


def create_app():
    app = Flask(__name__)

    @app.post("/orders")
    def add_order():
        try:
            order = OrderSchema().load(request.get_json(force=True, silent=True) or {})
        except ValidationError as error:
            return {"errors": error.messages}, 422
        if len({line["code"] for line in order["lines"]}) < len(order["lines"]):
            return {"accepted": False}, 409
        return {"accepted": True}, 201  # goal

    return app
