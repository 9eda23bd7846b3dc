"""An Otter Wiki, whose pages are files of a git repository in a temporary folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="otterwiki-"))
TEMPLATE = FOLDER.with_name(f"{FOLDER.name}-template")


def create_app():
    """Create the application with one page, which anybody may change."""
    repository = FOLDER / "repository"
    repository.mkdir()
    settings = FOLDER / "settings.cfg"
    settings.write_text(
        f"REPOSITORY = {str(repository)!r}\nSECRET_KEY = 'test-secret-key-of-the-wiki'\n"
        "TESTING = True\nWTF_CSRF_ENABLED = False\n",
        encoding="utf-8",
    )
    os.environ["OTTERWIKI_SETTINGS"] = str(settings)
    from otterwiki.gitstorage import GitStorage

    GitStorage(str(repository), initialize=True).store(
        "home.md", content="# Home\n", message="first", author=("A", "a@example.com")
    )
    from otterwiki.server import app

    from otterwiki import views  # noqa: F401

    app.config["WTF_CSRF_ENABLED"] = False
    shutil.copytree(FOLDER, TEMPLATE, dirs_exist_ok=True)
    return app


def reset(app):
    """Bring the pages back."""
    shutil.rmtree(FOLDER)
    shutil.copytree(TEMPLATE, FOLDER)


def users():
    """There is nobody to log in."""
    return {}
