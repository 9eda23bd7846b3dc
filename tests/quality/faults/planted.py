"""An application in which every oracle has something to find.

`PLANTS` names what is planted: (code, endpoint) of each fault.
"""

from __future__ import annotations

import sqlite3
import traceback
import urllib.request
from contextlib import closing
from pathlib import Path

from flask import Flask
from flask import Response
from flask import jsonify
from flask import redirect
from flask import request

from faults.access import add_access
from faults.paces import add_paces
from faults.records import PATHS
from faults.records import add_records
from faults.tokens import add_tokens

PLANTS = frozenset(
    {
        ("crash", "GET /ratio"),
        ("server-error", "GET /busy"),
        ("response-schema", "GET /products"),
        ("response-schema", "GET /products/{number}"),
        ("delete-ineffective", "GET /notes/{number}"),
        ("location-unresolvable", "GET /tickets/{number}"),
        ("body-forbidden", "POST /acknowledge"),
        ("allow-missing", "POST /locked"),
        ("challenge-missing", "GET /private"),
        ("status-undeclared", "GET /products/{number}"),
        ("traceback-leak", "GET /parse"),
        ("sql-leak", "GET /lookup"),
        ("secret-leak", "GET /debug"),
        ("script-injection", "GET /greet"),
        ("unfilled-text", "GET /about"),
        ("script-injection", "GET /wall"),
        ("sql-injection", "GET /find"),
        ("path-traversal", "GET /download"),
        ("request-forgery", "POST /fetch"),
        ("open-redirect", "GET /colours"),
        ("sql-injection", "GET /holders"),
        ("object-authorization", "GET /drafts/{number}"),
        ("object-authorization", "DELETE /drafts/{number}"),
        ("object-authorization", "PUT /letters/{number}"),
        ("function-authorization", "POST /admin/clear"),
        ("anonymous-write", "DELETE /orders/{number}"),
        ("anonymous-write", "POST /vouchers"),
        ("forged-token", "GET /pass"),
        ("mass-assignment", "PUT /accounts/{number}"),
        ("mass-assignment", "POST /coupons"),
        ("freeze", "GET /wait"),
        ("slow-path", "GET /trim"),
        ("slow-path", "GET /squares"),
    }
)

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Products", "version": "1"},
    "paths": {
        **PATHS,
        "/products": {
            "get": {
                "responses": {
                    "200": {
                        "description": "all",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Product"},
                                }
                            }
                        },
                    }
                }
            }
        },
        "/products/{number}": {
            "get": {
                "parameters": [
                    {
                        "name": "number",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    }
                ],
                "responses": {
                    "200": {
                        "description": "one",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Product"}}
                        },
                    }
                },
            }
        },
    },
    "components": {
        "schemas": {
            "Product": {
                "type": "object",
                "required": ["id", "price"],
                "properties": {
                    "id": {"type": "integer"},
                    "price": {"type": "number", "minimum": 0},
                    "label": {"type": "string", "nullable": True},
                },
            }
        }
    },
}


notes = {1: "first", 2: "second"}
wall = []


class Verbatim(Response):
    """A response that keeps its body whatever its status."""

    def get_app_iter(self, environ):
        return self.response


def create_app(path):
    app = Flask(__name__)
    app.config.update(SECRET_KEY="k9-planted-secret-77", DATABASE=path, PROPAGATE_EXCEPTIONS=False)
    app.config["FILES"] = Path(path).parent
    add_semantics(app)
    add_products(app)
    add_resources(app)
    add_leaks(app)
    add_injections(app)
    add_access(app, leaky=True)
    add_paces(app, hasty=False)
    add_records(app, careful=False)
    add_tokens(app, careless=True)
    return app


def connect(app):
    return sqlite3.connect(app.config["DATABASE"])


def add_semantics(app):
    @app.get("/ratio")
    def ratio():
        return jsonify(100 / request.args.get("parts", 1, type=int))

    @app.get("/busy")
    def busy():
        return "try again", 500

    @app.post("/acknowledge")
    def acknowledge():
        return Verbatim("done", status=204)

    @app.post("/locked")
    def locked():
        return "no", 405

    @app.get("/private")
    def private():
        return "who are you", 401


def add_products(app):
    @app.get("/openapi.json")
    def document():
        return jsonify(DOCUMENT)

    @app.get("/products")
    def products():
        return jsonify([{"id": 1, "price": 2.5, "label": None}, {"id": "2", "price": 3}])

    @app.get("/products/<int:number>")
    def product(number):
        if number > 2:
            return jsonify(error="unknown"), 404
        return jsonify(id=number, label="a")


def add_resources(app):
    @app.get("/notes/<int:number>")
    def read_note(number):
        return (jsonify(text=notes[number]), 200) if number in notes else ("missing", 404)

    @app.delete("/notes/<int:number>")
    def delete_note(number):
        return ("", 204) if number in notes else ("missing", 404)

    @app.put("/notes/<int:number>")
    def update_note(number):
        text = request.get_json()["text"]
        return (jsonify(text=text), 200) if number in notes else ("missing", 404)

    @app.post("/tickets")
    def create_ticket():
        return jsonify(id=7), 201, {"Location": "/tickets/8"}

    @app.get("/tickets/<int:number>")
    def read_ticket(number):
        return (jsonify(id=7), 200) if number == 7 else ("missing", 404)


def add_leaks(app):
    @app.get("/parse")
    def parse():
        try:
            return jsonify(int(request.args["value"]))
        except ValueError:
            return Response(traceback.format_exc(), status=400, mimetype="text/plain")

    @app.get("/lookup")
    def lookup():
        try:
            with closing(connect(app)) as database, database:
                database.execute("SELECT unknown FROM member")
        except sqlite3.Error as error:
            return jsonify(error=str(error)), 400

    @app.get("/debug")
    def debug():
        return jsonify({name: str(value) for name, value in app.config.items()})


def add_injections(app):
    @app.get("/about")
    def about():
        return "<p>This desk was opened by {{ founder }}</p>"

    @app.get("/greet")
    def greet():
        return f"<p>Hello {request.args.get('name', 'you')}</p>"

    @app.post("/wall")
    def write_wall():
        wall.append(request.form["message"])
        return "noted", 201

    @app.get("/wall")
    def read_wall():
        return "<ul>" + "".join(f"<li>{message}</li>" for message in wall) + "</ul>"

    @app.get("/find")
    def find():
        with closing(connect(app)) as database, database:
            name = request.args.get("name", "")
            rows = database.execute(f"SELECT name FROM member WHERE name = '{name}'").fetchall()
        return jsonify(rows)

    @app.get("/holders")
    def holders():
        name = request.args.get("name", "")
        with closing(connect(app)) as database:
            rows = database.execute(f'SELECT id FROM member WHERE name LIKE "{name}%"').fetchall()
        return jsonify(rows)

    @app.get("/colours")
    def colours():
        back = request.args.get("return", "/")
        return redirect("/" if back.startswith("http") else back)

    @app.get("/download")
    def download():
        try:
            return (app.config["FILES"] / request.args.get("file", "a")).read_text()
        except (OSError, ValueError):
            return "no such file", 404

    @app.post("/fetch")
    def fetch():
        try:
            with urllib.request.urlopen(request.get_json()["url"], timeout=1) as answer:
                return answer.read()
        except (OSError, ValueError):
            return "unreachable", 502
