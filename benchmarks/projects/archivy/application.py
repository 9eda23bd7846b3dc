"""Archivy, a keeper of notes and bookmarks, with its files in a temporary folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="archivy-"))
TEMPLATE = FOLDER.with_name(f"{FOLDER.name}-template")
ADMIN = {"username": "admin", "password": "admin-pass"}


def create_app():
    """Create the application and its administrator."""
    os.environ["ARCHIVY_INTERNAL_DIR_PATH"] = str(FOLDER)
    from archivy.models import User

    from archivy import app

    app.config["SECRET_KEY"] = b"test"
    app.config["WTF_CSRF_ENABLED"] = False
    with app.app_context():
        User(**ADMIN, is_admin=True).insert()
    shutil.copytree(FOLDER, TEMPLATE, dirs_exist_ok=True)
    return app


def reset(app):
    """Bring the files back."""
    shutil.rmtree(FOLDER)
    shutil.copytree(TEMPLATE, FOLDER)


def users():
    """Return who may send requests."""
    return {"admin": lambda client: client.post("/login", data=ADMIN)}
