"""Flask-Pydantic, which has no document: models in signatures and in the decorator."""

from __future__ import annotations

from typing import Annotated

from described.models import Book
from described.models import Question
from flask import Flask
from flask.views import MethodView
from flask_pydantic import validate
from pydantic import BaseModel
from pydantic import Field

app = Flask(__name__)


class Shelf(BaseModel):
    books: list[Book]
    above: Shelf | None = None


@app.post("/books/<number>")
@validate(body=Book, query=Question)
def change(number: Annotated[int, Field(ge=3)]):
    return {"number": number}


@app.post("/books")
@validate(body=Book, request_body_many=True)
def several():
    return {}


@app.post("/forms")
@validate(form=Book)
def form():
    return {}


class Shelves(MethodView):
    @validate()
    def put(self, name: str, body: Shelf):
        return {}


app.add_url_rule("/shelves/<name>", view_func=Shelves.as_view("shelves"))
