"""Flask-Login: only a remembered log-in is let in, by the cookie of the last session."""

from __future__ import annotations

from flask import Flask
from flask import request
from flask_login import LoginManager
from flask_login import UserMixin
from flask_login import encode_cookie


class Guest(UserMixin):
    def __init__(self, number):
        self.id = number


def create_app():
    app = Flask(__name__)
    app.secret_key = "remember" + "1" * 8
    manager = LoginManager(app)
    manager.user_loader(lambda number: Guest(number) if number in ("7", "8") else None)

    @app.get("/lounge")
    def lounge():
        from flask_login import current_user

        if not current_user.is_authenticated:
            return {"error": "guests only", "cookie": bool(encode_cookie)}, 401
        if request.args.get("seat", 1, type=int) > 50:
            raise LookupError("seat")  # goal
        return {"guest": current_user.id}

    return app
