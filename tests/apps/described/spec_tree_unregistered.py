"""The same API as its neighbours, with spectree, which nobody asked for a document."""

from __future__ import annotations

from described.models import Book
from described.models import Headers
from described.models import Question
from flask import Flask
from spectree import SpecTree

app = Flask(__name__)
tree = SpecTree("flask")


@app.post("/books/<int:number>")
@tree.validate(query=Question, headers=Headers)
def change(number, json: Book):
    return {"number": number}
