"""What a tool that knows nothing of fixtures sends to be somebody: the project's first users.

The projects of the package index name their users in ``application.users()``, as the fixture
`evosearch_users` does: headers, a name and a password for HTTP Basic, or a function that logs a
client in, of which the cookies are kept.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

ANONYMOUS_EVERY = 10
"""Requests of which one is left anonymous: pages that ask to log in are there to be tested, too."""


def headers_of(app: Any, users: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of `users` together; of two for the same header the first one's."""
    found: dict[str, str] = {}
    for user in users.values():
        for name, value in _headers(app, user).items():
            found.setdefault(name, value)
    return found


def _headers(app: Any, user: Any) -> dict[str, str]:
    if isinstance(user, Mapping):
        return dict(user)
    if isinstance(user, tuple):
        name, password = user
        credentials = base64.b64encode(f"{name}:{password}".encode()).decode()
        return {"Authorization": f"Basic {credentials}"}
    answer = user(app.test_client())
    pairs = [one.split(";", 1)[0] for one in answer.headers.getlist("Set-Cookie")]
    return {"Cookie": "; ".join(pairs)} if pairs else {}


def variable_of(header: str) -> str:
    """Return how WSGI names a header."""
    return f"HTTP_{header.upper().replace('-', '_')}"


class Credentials:
    """A WSGI middleware that adds headers to requests that have none of that name."""

    def __init__(
        self, application: Callable[..., Iterable[bytes]], headers: Mapping[str, str]
    ) -> None:
        self._application = application
        self._variables = {variable_of(name): value for name, value in headers.items()}
        self._count = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one request."""
        self._count += 1
        if self._count % ANONYMOUS_EVERY:
            for name, value in self._variables.items():
                environ.setdefault(name, value)
        return self._application(environ, start_response)
