"""Each may see what is theirs: another one gets 403."""

from __future__ import annotations

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.owners = {"ada": "a" + str(2**14), "bo": "b" + str(2**16)}
    app.parcels = {1: "bo", 2: "ada"}

    @app.get("/parcels/<int:number>")
    def parcel(number):
        given = request.authorization
        if given is None or app.owners.get(given.username) != given.password:
            return {"error": "who"}, 401, {"WWW-Authenticate": "Basic"}
        owner = app.parcels.get(number)
        if owner is None:
            return {"error": "none"}, 404
        if owner != given.username:
            return {"error": "not yours"}, 403
        if number == 2 and request.args.get("weight", 1, type=int) <= 0:
            raise ZeroDivisionError(number)  # goal
        return {"parcel": number}

    return app
