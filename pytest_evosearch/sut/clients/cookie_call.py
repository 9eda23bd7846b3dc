"""The arguments of ``set_cookie`` on clients of the installed Werkzeug."""

from __future__ import annotations

import importlib.metadata
import re

NEW_COOKIE_CALL = (2, 3)
"""The Werkzeug version that dropped the server's name from ``client.set_cookie``."""


def names_server_first() -> bool:
    """Say whether ``client.set_cookie`` takes the server's name first; False when unknown."""
    try:
        text = importlib.metadata.version("werkzeug")
    except importlib.metadata.PackageNotFoundError:
        return False
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2]) < NEW_COOKIE_CALL


def server_argument(comes_first: bool) -> tuple[str, ...]:
    """Return the arguments before the cookie's name in a client's cookie methods."""
    return ("localhost",) if comes_first else ()
