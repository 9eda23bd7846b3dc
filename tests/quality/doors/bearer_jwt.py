"""A bearer token, HS256: nothing of the application hands one out."""

from __future__ import annotations

import jwt
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.config["SIGNING_KEY"] = "lock" + "0123456789" * 4

    @app.get("/reports/<int:number>")
    def report(number):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(
                token, app.config["SIGNING_KEY"], algorithms=["HS256"], audience="reports"
            )
        except jwt.InvalidTokenError as error:
            return {"error": str(error)}, 401
        if claims.get("role") != "auditor":
            return {"error": "auditors only"}, 403
        if number > 12:
            raise LookupError(number)  # goal
        return {"report": number}

    return app
