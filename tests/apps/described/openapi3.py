"""The same API as its neighbours, with flask-openapi3; no address serves its document."""

from __future__ import annotations

from described.models import Book
from described.models import Headers
from described.models import Question
from flask_openapi3 import OpenAPI

app = OpenAPI(__name__, doc_ui=False)


@app.post("/books/<int:number>")
def change(number, query: Question, header: Headers, body: Book):
    return {"number": number}
