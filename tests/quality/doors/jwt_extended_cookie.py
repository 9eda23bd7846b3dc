"""Flask-JWT-Extended: a token in a cookie, of a user who is looked up by the claim."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask_jwt_extended import JWTManager
from flask_jwt_extended import current_user
from flask_jwt_extended import jwt_required


def create_app():
    app = Flask(__name__)
    app.config["JWT_SECRET_KEY"] = "mole" * 12
    app.config["JWT_TOKEN_LOCATION"] = ["cookies"]
    manager = JWTManager(app)
    crew = {"torvald": {"rank": "mate"}, "sunniva": {"rank": "skipper"}}

    @manager.user_lookup_loader
    def look_up(_head, claims):
        return crew.get(claims["sub"])

    @app.get("/logs/<int:number>")
    @jwt_required()
    def log(number):
        if current_user["rank"] != "skipper":
            return jsonify(error="rank"), 403
        if number > 40:
            raise ValueError("number")  # goal
        return jsonify(log=number)

    return app
