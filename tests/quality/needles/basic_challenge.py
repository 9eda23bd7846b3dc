"""A page behind HTTP Basic, for whoever registered with a name of some length and a password."""

from __future__ import annotations

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    people = {}

    @app.post("/people")
    def join():
        name, password = request.json["username"], request.json["password"]
        if not isinstance(name, str) or not isinstance(password, str) or not name:
            return "name and password", 400
        people[name] = password
        return {"username": name}, 201

    @app.get("/diary")
    def diary():
        given = request.authorization
        if given is None or given.type != "basic" or not given.username:
            return "who?", 401, {"WWW-Authenticate": 'Basic realm="diary"'}
        if people.get(given.username) != given.password:
            return "wrong", 401, {"WWW-Authenticate": 'Basic realm="diary"'}
        return f"diary of {given.username}"  # goal

    return app
