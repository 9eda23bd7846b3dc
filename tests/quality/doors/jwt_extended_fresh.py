"""Flask-JWT-Extended: a fresh token whose claims name a role; nothing issues it."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask_jwt_extended import JWTManager
from flask_jwt_extended import get_jwt
from flask_jwt_extended import jwt_required


def create_app():
    app = Flask(__name__)
    app.config["JWT_SECRET_KEY"] = "mole" * 12
    JWTManager(app)

    @app.get("/boats")
    @jwt_required()
    def boats():
        return jsonify(boats=[])

    @app.delete("/boats/<int:number>")
    @jwt_required(fresh=True)
    def scrap(number):
        if get_jwt().get("role", "") != "owner":
            return jsonify(error="role"), 403
        if number > 40:
            raise ValueError("number")  # goal
        return "", 204

    return app
