"""What a tool that knows nothing of fixtures sends to be somebody: the project's first users.

The projects of the package index name their users in ``application.users()``, as the fixture
`evosearch_users` does: headers, a name and a password for HTTP Basic, or a function that logs a
client in, of which the cookies are kept unless it returns headers.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from werkzeug.test import Client

ANONYMOUS_EVERY = 10
"""Requests of which one is left anonymous: pages that ask to log in are there to be tested, too."""

RENEWED_AFTER = 20
"""Requests after which users may log in again, when they are refused: the tool logged them out."""

RENEWED_EVERY = 500
"""Requests after which they log in again in any case: the tool deleted what they need."""


def headers_of(application: Any, users: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of `users` together; of two for the same header the first one's."""
    found: dict[str, str] = {}
    for user in users.values():
        for name, value in _headers(application, user).items():
            found.setdefault(name, value)
    return found


def _headers(application: Any, user: Any) -> dict[str, str]:
    if isinstance(user, Mapping):
        return dict(user)
    if isinstance(user, tuple):
        name, password = user
        credentials = base64.b64encode(f"{name}:{password}".encode()).decode()
        return {"Authorization": f"Basic {credentials}"}
    answer = user(Client(application))
    if isinstance(answer, Mapping):
        return dict(answer)
    pairs = [one.split(";", 1)[0] for one in answer.headers.getlist("Set-Cookie")]
    return {"Cookie": "; ".join(pairs)} if pairs else {}


def variable_of(header: str) -> str:
    """Return how WSGI names a header."""
    return f"HTTP_{header.upper().replace('-', '_')}"


class Credentials:
    """A WSGI middleware that adds headers to requests that have none of that name.

    What it does depends on nothing but the requests before and their answers, so a replay of the
    same requests carries the credentials of its own users where the first run did.
    """

    def __init__(
        self, application: Callable[..., Iterable[bytes]], users: Mapping[str, Any]
    ) -> None:
        self._application = application
        self._users = users
        self._count = self._renewed = 0
        self._refused = False
        self.headers = headers_of(application, users)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one request."""
        self._count += 1
        if self._count % ANONYMOUS_EVERY == 0:
            return self._application(environ, start_response)
        self._renew()
        for name, value in self.headers.items():
            environ.setdefault(variable_of(name), value)

        def start(status: str, *rest: Any) -> Any:
            self._refused = status.startswith("401")
            return start_response(status, *rest)

        return self._application(environ, start)

    def _renew(self) -> None:
        """Let the users log in again when it is time."""
        since = self._count - self._renewed
        if since < (RENEWED_AFTER if self._refused else RENEWED_EVERY):
            return
        self.headers = {**self.headers, **headers_of(self._application, self._users)}
        self._renewed, self._refused = self._count, False
