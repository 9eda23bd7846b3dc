"""A first password opens nothing but the page on which it is changed."""

from __future__ import annotations

from flask import Flask
from flask import request
from flask import session

people = {"kaja": {"word": "first" + str(7**5), "fresh": True}}


def create_app():
    app = Flask(__name__)
    app.secret_key = "any"

    @app.post("/enter")
    def enter():
        person = people.get(request.form.get("name"))
        if person is None or person["word"] != request.form.get("word"):
            return {"error": "no"}, 401
        session["name"] = request.form["name"]
        return {"change": person["fresh"]}

    @app.post("/change")
    def change():
        if "name" not in session:
            return {"error": "enter"}, 401
        word = request.form.get("word", "")
        if len(word) < 6:
            return {"error": "too short"}, 400
        people[session["name"]] = {"word": word, "fresh": False}
        return {"changed": True}

    @app.get("/desk")
    def desk():
        if "name" not in session:
            return {"error": "enter"}, 401
        if people[session["name"]]["fresh"]:
            return {"error": "change your password"}, 403
        if request.args.get("drawer", 1, type=int) > 4:
            raise LookupError("drawer")  # goal
        return {"desk": True}

    return app
