"""The same API as its neighbours, with APIFlask; no address serves its document."""

from __future__ import annotations

from apiflask import APIFlask
from apiflask import Schema
from apiflask.fields import Integer
from apiflask.fields import String
from apiflask.validators import Length
from apiflask.validators import OneOf
from apiflask.validators import Range
from apiflask.validators import Regexp

app = APIFlask(__name__, spec_path=None)


class Question(Schema):
    page = Integer(validate=Range(1, 9))


class Headers(Schema):
    token = String(required=True, data_key="X-Token")


class Book(Schema):
    title = String(required=True, validate=Length(2, 30))
    kind = String(validate=OneOf(["a", "b"]))
    code = String(validate=Regexp(r"^[A-Z]{3}$"))


@app.post("/books/<int:number>")
@app.input(Question, location="query")
@app.input(Headers, location="headers")
@app.input(Book, location="json")
def change(number, query_data, headers_data, json_data):
    return {"number": number}
