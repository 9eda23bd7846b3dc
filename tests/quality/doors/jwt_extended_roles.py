"""Flask-JWT-Extended: a token to refresh with, whose claims name a rank; nothing issues it."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request
from flask_jwt_extended import JWTManager
from flask_jwt_extended import create_access_token
from flask_jwt_extended import get_jwt
from flask_jwt_extended import get_jwt_identity
from flask_jwt_extended import jwt_required


def create_app():
    app = Flask(__name__)
    app.config["JWT_SECRET_KEY"] = "mole" * 12
    JWTManager(app)

    @app.get("/boats")
    @jwt_required()
    def boats():
        return jsonify(boats=[])

    @app.post("/passes")
    @jwt_required(refresh=True)
    def refresh():
        if get_jwt().get("rank") != "harbour-master":
            return jsonify(error="rank"), 403
        if request.args.get("depth", 1, type=int) < 0:
            raise ValueError("depth")  # goal
        return jsonify(access=create_access_token(get_jwt_identity()))

    return app
