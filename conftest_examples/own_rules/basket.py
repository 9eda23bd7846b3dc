from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

MOST = 12


def create_app():
    app = Flask(__name__)
    pieces = []

    @app.get("/pieces")
    def show():
        return jsonify(pieces=pieces), 200, {"Cache-Control": "no-store"}

    @app.get("/pieces/count")
    def count():
        return jsonify(count=len(pieces))

    @app.post("/pieces")
    def add():
        number = request.args.get("number", 1, type=int)
        if number > MOST:
            abort(413)
        pieces.extend(["apple"] * number)
        return jsonify(count=len(pieces)), 201

    return app
