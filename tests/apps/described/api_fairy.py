"""The same API as its neighbours, with APIFairy; no address serves its document."""

from __future__ import annotations

from apifairy import APIFairy
from apifairy import arguments
from apifairy import body
from flask import Flask
from marshmallow import Schema
from marshmallow import fields
from marshmallow import validate

app = Flask(__name__)
app.config.update(APIFAIRY_APISPEC_PATH=None, APIFAIRY_UI_PATH=None)
APIFairy(app)


class Question(Schema):
    page = fields.Integer(validate=validate.Range(1, 9))


class Headers(Schema):
    token = fields.String(required=True, data_key="X-Token")


class Book(Schema):
    title = fields.String(required=True, validate=validate.Length(2, 30))
    kind = fields.String(validate=validate.OneOf(["a", "b"]))
    code = fields.String(validate=validate.Regexp(r"^[A-Z]{3}$"))


@app.post("/books/<int:number>")
@arguments(Question)
@arguments(Headers, location="headers")
@body(Book)
def change(question, headers, book, number):
    return {"number": number}
