"""Finds the Flask-SQLAlchemy extension of an application, and its expression for a fixture."""

from __future__ import annotations

from contextlib import suppress
from typing import Any


def sqlalchemy_extension(app: Any, name: str) -> tuple[Any, str]:
    """Return the extension of `app`, and the expression for it where `app` is called `name`.

    Before version 3.0, a state object held it. The result is (None, "") without one.
    """
    extension = app.extensions.get("sqlalchemy")
    expression = f'{name}.extensions["sqlalchemy"]'
    if extension is None:
        return None, ""
    if hasattr(extension, "db"):
        return extension.db, f"{expression}.db"
    return extension, expression


def extension_with_dialect(app: Any, name: str) -> tuple[str, str]:
    """Return the expression of the extension, and the dialect of its database.

    The result is two empty texts without one, or when the dialect is unknown.
    """
    extension, expression = sqlalchemy_extension(app, name)
    with suppress(Exception), app.app_context():
        return expression, str(extension.engine.dialect.name)
    return "", ""
