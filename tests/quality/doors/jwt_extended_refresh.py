"""Flask-JWT-Extended: a log-in, an access token and one to refresh it."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request
from flask_jwt_extended import JWTManager
from flask_jwt_extended import create_access_token
from flask_jwt_extended import create_refresh_token
from flask_jwt_extended import get_jwt_identity
from flask_jwt_extended import jwt_required


def create_app():
    app = Flask(__name__)
    app.config["JWT_SECRET_KEY"] = "quay" * 12
    JWTManager(app)
    pilots = {"signe": "sail" + str(6**5)}

    @app.post("/session")
    def enter():
        sent = request.get_json(silent=True) or {}
        if pilots.get(sent.get("pilot")) != sent.get("secret") or not sent.get("secret"):
            return jsonify(error="no"), 401
        name = sent["pilot"]
        return jsonify(access=create_access_token(name), refresh=create_refresh_token(name))

    @app.post("/session/refresh")
    @jwt_required(refresh=True)
    def refresh():
        depth = request.args.get("depth", 1, type=int)
        if depth < 0:
            raise ValueError(depth)  # goal
        return jsonify(access=create_access_token(get_jwt_identity()))

    return app
