"""The same API as its neighbours, with flasgger: in a docstring, a dict, a file and a template."""

from __future__ import annotations

from pathlib import Path

from flasgger import Swagger
from flasgger import swag_from
from flask import Flask
from flask import abort

app = Flask(__name__)
TEMPLATE = {
    "info": {"title": "Books", "version": "1"},
    "definitions": {
        "Book": {
            "type": "object",
            "required": ["title"],
            "properties": {
                "title": {"type": "string", "minLength": 2, "maxLength": 30},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
            },
        }
    },
    "paths": {
        "/shelves": {
            "get": {"parameters": [{"name": "row", "in": "query", "type": "integer"}]},
        }
    },
}
DICT = {"parameters": [{"name": "q", "in": "query", "type": "string", "required": True}]}


def nobody(view):
    """Let nobody read the document."""

    def refuse(*arguments, **keywords):
        abort(401)

    return refuse


Swagger(app, template=TEMPLATE, decorators=[nobody])


@app.post("/books/<int:number>")
def change(number):
    """Change a book.
    ---
    parameters:
      - {name: number, in: path, type: integer, required: true}
      - {name: page, in: query, type: integer, minimum: 1, maximum: 9}
      - {name: X-Token, in: header, type: string, required: true}
      - {name: body, in: body, required: true, schema: {$ref: "#/definitions/Book"}}
    """
    return {"number": number}


@app.get("/books")
@swag_from(DICT)
def search():
    return {}


@app.get("/shelves")
def shelves():
    return {}


@app.delete("/books/<int:number>")
@swag_from(str(Path(__file__).parent / "specs" / "delete.yml"))
def delete(number):
    return {}
