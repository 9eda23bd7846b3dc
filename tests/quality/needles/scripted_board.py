"""A page whose script sends JSON, with a token against forgery from the head of the page."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request
from flask import session

PAGE = """<!doctype html><html><head><title>Board</title>
<meta name="csrf-token" content="{token}"></head><body><ul id="cards"></ul></body></html>"""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

cards = {}


def create_app():
    app = Flask(__name__)
    app.secret_key = "needle"

    @app.before_request
    def check_token():
        if request.method in SAFE_METHODS:
            return None
        sent = request.headers.get("X-CSRFToken") or request.headers.get("X-CSRF-Token")
        if not sent or sent != session.get("csrf"):
            return jsonify(error="The CSRF token is missing or wrong."), 400
        return None

    @app.get("/")
    def show_page():
        session.setdefault("csrf", secrets.token_hex(16))
        return PAGE.format(token=session["csrf"])

    @app.get("/api/cards")
    def list_cards():
        return jsonify(list(cards.values()))

    @app.post("/api/cards")
    def add_card():
        title = request.get_json()["title"]
        number = len(cards) + 1
        cards[number] = {"id": number, "title": title, "done": False}
        return jsonify(cards[number]), 201

    @app.put("/api/cards/<int:number>/done")
    def finish_card(number):
        card = cards.get(number) or abort(404)
        if card["done"]:
            return jsonify(error="done already"), 409  # goal
        card["done"] = True
        return jsonify(card)

    return app
