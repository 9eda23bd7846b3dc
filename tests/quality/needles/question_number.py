"""A quiz has so many questions that more are asked for only by someone who knows their number."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request

QUESTIONS = [f"question {number}" for number in range(437)]


def create_app():
    app = Flask(__name__)

    @app.post("/quiz")
    def draw():
        number = request.get_json()["number"]
        if not isinstance(number, int) or not 1 <= number <= 440:
            return jsonify(error="number must be from 1 to 440"), 400
        questions = [question for question in QUESTIONS if question]
        if len(questions) < number:
            return jsonify(error="there are not so many questions"), 409  # goal
        return jsonify(questions[:number])

    return app
