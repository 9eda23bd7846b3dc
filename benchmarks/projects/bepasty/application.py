"""bepasty, a file pastebin, with its files in a temporary folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

SECRET = "topsecret"
FOLDER = Path(tempfile.mkdtemp(prefix="bepasty-"))
STORE = FOLDER / "store"

CONFIGURATION = f"""
STORAGE_FILESYSTEM_DIRECTORY = {str(STORE)!r}
SECRET_KEY = "test"
SESSION_COOKIE_SECURE = False
PERMISSIONS = {{{SECRET!r}: "admin,list,create,modify,read,delete", "reader": "list,read"}}
DEFAULT_PERMISSIONS = "read"
"""


def create_app():
    """Create the application."""
    path = FOLDER / "bepasty.conf"
    path.write_text(CONFIGURATION, encoding="utf-8")
    STORE.mkdir(exist_ok=True)
    os.environ["BEPASTY_CONFIG"] = str(path)
    from bepasty.app import create_app as create

    return create()


def reset(app):
    """Remove what was uploaded."""
    shutil.rmtree(STORE)
    STORE.mkdir()


def users():
    """Return who may send requests."""
    return {
        "admin": ("bepasty", SECRET),
        "session": lambda client: client.post("/+login", data={"token": SECRET}),
    }
