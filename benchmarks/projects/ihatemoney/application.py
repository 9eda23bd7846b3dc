"""I Hate Money, shared budgets, with a demonstration project in a SQLite file."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="ihatemoney-"))
DATABASE = FOLDER / "money.db"
TEMPLATE = FOLDER / "template.db"
ADMIN_PASSWORD = hashlib.pbkdf2_hmac("sha256", b"adminpass", b"abc", 1000).hex()


class Config:
    """A fast password hash (the default takes 250 ms), no CSRF tokens, no mail, no limits."""

    TESTING = True
    SECRET_KEY = "test"
    SQLALCHEMY_DATABASE_URI = f"sqlite:///{DATABASE}"
    SESSION_COOKIE_SECURE = False
    WTF_CSRF_ENABLED = False
    RATELIMIT_ENABLED = False
    PASSWORD_HASH_METHOD = "pbkdf2:sha256:1"
    PASSWORD_HASH_SALT_LENGTH = 1
    ACTIVATE_DEMO_PROJECT = True
    ACTIVATE_ADMIN_DASHBOARD = True
    ADMIN_PASSWORD = f"pbkdf2:sha256:1000$abc${ADMIN_PASSWORD}"


def create_app():
    """Create the application and the demonstration project."""
    from ihatemoney.currency_convertor import CurrencyConverter
    from ihatemoney.models import Project
    from ihatemoney.models import db
    from ihatemoney.run import create_app as create

    rates = {"USD": 1, "EUR": 0.8, "CAD": 1.2, "PLN": 4, CurrencyConverter.no_currency: 1}
    CurrencyConverter().get_rates = lambda: rates  # else it asks a web service
    app = create(Config, instance_path=str(FOLDER))
    with app.app_context():
        Project.create_demo_project()
        db.session.commit()
        db.session.remove()
        db.engine.dispose()
    shutil.copyfile(DATABASE, TEMPLATE)
    return app


def reset(app):
    """Bring the database back."""
    from ihatemoney.models import db

    with app.app_context():
        db.session.remove()
        db.engine.dispose()
    shutil.copyfile(TEMPLATE, DATABASE)


def users():
    """Return who may send requests."""
    form = {"id": "demo", "password": "demo"}
    return {
        "demo": ("demo", "demo"),
        "session": lambda client: client.post("/authenticate", data=form),
    }
