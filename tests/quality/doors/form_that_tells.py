"""A log-in that tells whether the name or the password is wrong, always with the same status."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request
from flask import session


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"
    app.config.update(KEEPER="marit", KEEPERS_WORD=f"fjord-{7**4}")

    @app.post("/enter")
    def enter():
        if request.form.get("nick") != app.config["KEEPER"]:
            return "no such keeper"
        if request.form.get("word") != app.config["KEEPERS_WORD"]:
            return "another word, please"
        session["inside"] = True
        return "welcome"

    @app.get("/leave")
    def leave():
        session.clear()
        return "bye"

    @app.get("/lamps/<int:number>")
    def lamp(number):
        if not session.get("inside"):
            return jsonify(error="keepers only"), 401
        if request.args.get("watts", 1, type=int) < 1:
            raise ValueError("no light")  # goal
        return jsonify(lamp=number)

    return app
