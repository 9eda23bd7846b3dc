"""The same application without a fault: whatever an oracle reports here is a false alarm."""

from __future__ import annotations

import sqlite3
import urllib.request
from contextlib import closing
from urllib.parse import urlsplit

from flask import Flask
from flask import jsonify
from flask import redirect
from flask import request
from flask import send_from_directory
from markupsafe import escape

from faults.access import add_access
from faults.paces import add_paces
from faults.planted import DOCUMENT
from faults.records import add_records
from faults.tokens import add_tokens

PARTNERS = ("partner.invalid",)


notes = {1: "first", 2: "second"}
wall = []
tickets = {}


def create_app(path):
    app = Flask(__name__)
    app.config.update(SECRET_KEY="k9-planted-secret-77", DATABASE=path)
    app.config["FILES"] = path.parent
    add_semantics(app)
    add_products(app)
    add_resources(app)
    add_leaks(app)
    add_injections(app)
    add_callers_texts(app)
    add_access(app, leaky=False)
    add_paces(app, hasty=True)
    add_records(app, careful=True)
    add_tokens(app, careless=False)
    return app


def connect(app):
    return sqlite3.connect(app.config["DATABASE"])


def body_text(name):
    """Return a text of the JSON body, None when it is none."""
    body = request.get_json(silent=True)
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else None


def add_semantics(app):
    @app.get("/ratio")
    def ratio():
        return jsonify(100 / (request.args.get("parts", 1, type=int) or 1))

    @app.post("/acknowledge")
    def acknowledge():
        return "", 204

    @app.get("/locked")
    def locked():
        return "yes"

    @app.get("/private")
    def private():
        return "who are you", 401, {"WWW-Authenticate": "Basic"}


def add_products(app):
    statuses = {"200": DOCUMENT["paths"]["/products/{number}"]["get"]["responses"]["200"]}
    complete = {**DOCUMENT, "paths": {**DOCUMENT["paths"]}}
    complete["paths"]["/products/{number}"] = {
        "get": {
            **DOCUMENT["paths"]["/products/{number}"]["get"],
            "responses": {**statuses, "404": {"description": "unknown"}},
        }
    }

    @app.get("/openapi.json")
    def document():
        return jsonify(complete)

    @app.get("/products")
    def products():
        return jsonify([{"id": 1, "price": 2.5, "label": None}, {"id": 2, "price": 3}])

    @app.get("/products/<int:number>")
    def product(number):
        if number > 2:
            return jsonify(error="unknown"), 404
        return jsonify(id=number, price=1.5, label="a")


def add_resources(app):
    @app.get("/notes/<int:number>")
    def read_note(number):
        return (jsonify(text=notes[number]), 200) if number in notes else ("missing", 404)

    @app.delete("/notes/<int:number>")
    def delete_note(number):
        return ("missing", 404) if notes.pop(number, None) is None else ("", 204)

    @app.put("/notes/<int:number>")
    def update_note(number):
        text = body_text("text")
        if text is None:
            return "text is missing", 400
        if number not in notes:
            return "missing", 404
        notes[number] = text
        return jsonify(text=text)

    @app.post("/tickets")
    def create_ticket():
        tickets[len(tickets) + 1] = True
        return jsonify(id=len(tickets)), 201, {"Location": f"/tickets/{len(tickets)}"}

    @app.get("/tickets/<int:number>")
    def read_ticket(number):
        return (jsonify(id=number), 200) if number in tickets else ("missing", 404)

    @app.route("/echo/<path:anything>", methods=["GET", "PUT", "DELETE"])
    def echo(anything):
        return jsonify(path=anything)


def add_leaks(app):
    @app.get("/parse")
    def parse():
        value = request.args.get("value", type=int)
        return (jsonify(value), 200) if value is not None else (jsonify(error="no number"), 400)

    @app.get("/debug")
    def debug():
        return jsonify(testing=app.testing)


def add_callers_texts(app):
    @app.get("/holders")
    def holders():
        name = request.args.get("name", "")
        with closing(connect(app)) as database:
            rows = database.execute("SELECT id FROM member WHERE name LIKE ?", (f"{name}%",))
            return jsonify(rows.fetchall())

    @app.get("/colours")
    def colours():
        back = request.args.get("return", "/")
        is_here = back.startswith("/") and back[1:2] not in ("/", "\\")
        return redirect(back if is_here else "/")


def add_injections(app):
    @app.get("/about")
    def about():
        return "<p>Marks are written as <code>{{ founder }}</code> , and sentences end. So</p>"

    @app.get("/greet")
    def greet():
        return f"<p>Hello {escape(request.args.get('name', 'you'))}</p>"

    @app.get("/plain")
    def plain():
        return app.response_class(request.args.get("name", "you"), mimetype="text/plain")

    @app.post("/wall")
    def write_wall():
        wall.append(request.form["message"])
        return "noted", 201

    @app.get("/wall")
    def read_wall():
        return "<ul>" + "".join(f"<li>{escape(message)}</li>" for message in wall) + "</ul>"

    @app.get("/find")
    def find():
        with closing(connect(app)) as database:
            name = request.args.get("name", "")
            rows = database.execute("SELECT name FROM member WHERE name = ?", (name,)).fetchall()
        return jsonify(rows)

    @app.get("/download")
    def download():
        return send_from_directory(app.config["FILES"], request.args.get("file", "a"))

    @app.post("/fetch")
    def fetch():
        try:
            host = urlsplit(body_text("url") or "").hostname
        except ValueError:
            host = None
        if host not in PARTNERS:
            return "not one of our partners", 403
        try:
            with urllib.request.urlopen("http://127.0.0.1:9/", timeout=1) as answer:
                return answer.read()
        except OSError:
            return "unreachable", 404
