"""Applications with users who exist already, behind Flask-Login and Flask-JWT-Extended."""

from __future__ import annotations

from flask import Flask
from flask_jwt_extended import JWTManager
from flask_jwt_extended import get_jwt_identity
from flask_jwt_extended import jwt_required
from flask_login import LoginManager
from flask_login import UserMixin
from flask_login import current_user
from flask_login import login_required


class Member(UserMixin):
    """Somebody with a number."""

    def __init__(self, number: str) -> None:
        self.id = number


def create_session_app(protection: str = "basic") -> Flask:
    """Return an application whose member 2 may log in; 1 has left."""
    app = Flask(__name__)
    app.config.update(SECRET_KEY="dev", SESSION_PROTECTION=protection)
    manager = LoginManager(app)
    manager.session_protection = protection

    @manager.user_loader
    def load(number: str) -> Member | None:
        return Member(number) if number == "2" else None

    @app.get("/")
    @login_required
    def index() -> str:
        return str(current_user.get_id())

    return app


def create_token_app() -> Flask:
    """Return an application that believes every token it signed."""
    app = Flask(__name__)
    app.config.update(JWT_SECRET_KEY="dev" * 20, JWT_HEADER_TYPE="JWT")
    JWTManager(app)

    @app.get("/")
    @jwt_required(fresh=True)
    def index() -> str:
        return str(get_jwt_identity())

    return app
