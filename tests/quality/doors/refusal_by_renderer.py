"""Name and key in every query; a refusal has status 200, and the project's own code renders it."""

from __future__ import annotations

from flask import Flask
from flask import Response
from flask import request

PEOPLE = {"runa": "51-fe-c0-9b", "sten": "a7-10-44-d2"}


def rendered(name, content):
    text, inside = f"<{name}", ""
    for key, value in content.items():
        if key == "text":
            inside += str(value)
        elif key == "lines":
            inside += "".join(rendered("line", line) for line in value)
        elif isinstance(value, dict):
            inside += rendered(key, value)
        else:
            text += f' {key}="{value}"'
    return f"{text}>{inside}</{name}>"


def answered(state, **content):
    tree = {"state": state, "edition": "4", "house": "north", "tongue": "en", "kind": "answer"}
    return Response(rendered("answer", {**tree, **content}), mimetype="text/xml")


def create_app():
    app = Flask(__name__)

    @app.before_request
    def check():
        if "who" not in request.args or "key" not in request.args:
            return answered("closed", reason={"number": 1, "text": "who is it?"})
        if PEOPLE.get(request.args["who"]) != request.args["key"]:
            return answered("closed", reason={"number": 2, "text": "wrong key"})
        return None

    @app.get("/bell")
    def bell():
        return answered("open")

    @app.get("/hall")
    def hall():
        return answered("open", lines=[{"text": "warm"}])

    @app.get("/attic")
    def attic():
        boxes = request.args.get("boxes", 3, type=int)
        if boxes > 40:
            raise OverflowError("boxes")  # goal
        return answered("open", boxes=boxes)

    @app.get("/cellar")
    def cellar():
        return answered("open", room={"name": "cellar"})

    return app
