"""Sessions of Flask, which a cookie holds with a signature and the time of signing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from typing import TypeAlias

from itsdangerous import BadData

SessionReader: TypeAlias = "Callable[[str, str], dict[str, object] | None]"
"""Returns what a cookie with a name and a value holds; None where it is no session."""


def no_session(_name: str, _value: str) -> None:
    """Take every cookie for another one."""


def serializer_of(app: Any) -> Any:
    """Return what signs the sessions of an application; None where nothing is signed."""
    signing = getattr(getattr(app, "session_interface", None), "get_signing_serializer", None)
    return signing(app) if signing is not None else None


def session_reader(app: Any) -> SessionReader:
    """Return a reader of the sessions of `app` that hold texts, numbers and the like."""
    serializer = serializer_of(app)

    def read(name: str, value: str) -> dict[str, object] | None:
        if serializer is None or name != app.config["SESSION_COOKIE_NAME"]:
            return None
        with suppress(BadData, ValueError, SyntaxError):
            held = serializer.loads(value)
            if isinstance(held, dict) and held and ast.literal_eval(repr(held)) == held:
                return held
        return None

    return read
