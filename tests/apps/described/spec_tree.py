"""The same API as its neighbours, with spectree."""

from __future__ import annotations

from described.models import Book
from described.models import Headers
from described.models import Question
from flask import Flask
from spectree import SpecTree

app = Flask(__name__)
tree = SpecTree("flask", path="pages", filename="contract")


@app.post("/books/<int:number>")
@tree.validate(query=Question, headers=Headers, json=Book)
def change(number):
    return {"number": number}


tree.register(app)
