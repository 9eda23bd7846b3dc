"""A token against forgery, in a cookie and again in a header."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)

    @app.get("/start")
    def start():
        answer = app.make_response({"ready": True})
        answer.set_cookie("anti", secrets.token_hex(8))
        return answer

    @app.post("/votes")
    def vote():
        cookie = request.cookies.get("anti")
        if not cookie or not secrets.compare_digest(cookie, request.headers.get("X-Anti", "")):
            return {"error": "forgery"}, 403
        weight = (request.get_json(silent=True) or {}).get("weight", 1)
        if weight == 0:
            raise ZeroDivisionError(weight)  # goal
        return {"counted": True}

    return app
