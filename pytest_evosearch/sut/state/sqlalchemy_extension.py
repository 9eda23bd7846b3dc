"""Finds Flask-SQLAlchemy's extension of an application, and how a fixture finds it."""

from __future__ import annotations

from typing import Any


def sqlalchemy_extension(app: Any, name: str) -> tuple[Any, str]:
    """Return the extension of `app`, and the expression for it where `app` is called `name`.

    Before version 3.0 a state object held it.  (None, "") when there is none.
    """
    extension = app.extensions.get("sqlalchemy")
    expression = f'{name}.extensions["sqlalchemy"]'
    if extension is None:
        return None, ""
    if hasattr(extension, "db"):
        return extension.db, f"{expression}.db"
    return extension, expression
