"""A quiz takes exactly seventeen answers, and a comment with more than six parts."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/answers")
    def answer():
        body = request.get_json()
        answers = body["answers"]
        if not isinstance(answers, list) or len(answers) != 17:
            return jsonify(error="seventeen answers are needed"), 400
        parts = body["comment"].split(",")
        if len(parts) > 6:
            return jsonify(parts=len(parts))  # goal
        return jsonify(answers=len(answers))

    return app
