"""A signed link lets in, which nothing of the application shows."""

from __future__ import annotations

from flask import Flask
from flask import request
from flask import session
from itsdangerous import BadData
from itsdangerous import URLSafeTimedSerializer


def create_app():
    app = Flask(__name__)
    app.secret_key = "lantern" * 3
    signer = URLSafeTimedSerializer(app.secret_key, salt="link")

    @app.get("/come/<token>")
    def come(token):
        try:
            session["who"] = signer.loads(token, max_age=600)
        except BadData:
            return {"error": "link"}, 403
        return {"welcome": session["who"]}

    @app.get("/garden")
    def garden():
        if "who" not in session:
            return {"error": "come first"}, 401
        if request.args.get("beds", 2, type=int) < 0:
            raise ValueError("beds")  # goal
        return {"beds": 2}

    return app
