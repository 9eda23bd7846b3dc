"""Who sends a call, as far as the application can see: a user, session or token, or unknown."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.problem.http.descriptions.credentials import may_identify
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER


def callers_of(exchanges: Sequence[Exchange]) -> list[str | None]:
    """Return a name for the sender of each exchange; None for an anonymous sender.

    A client with a cookie may be logged in, so it is not anonymous.
    """
    with_cookies: set[str | None] = set()
    callers: list[str | None] = []
    for exchange in exchanges:
        user, credential = exchange.user, credential_of(exchange.request)
        if user not in (None, STRANGER, NOBODY):
            callers.append(user)
        elif credential is not None:
            callers.append(f"the owner of {credential}")
        elif user in with_cookies or exchange.request.cookies:
            callers.append(f"session of {user or 'the client'}")
        else:
            callers.append(None)
        if exchange.response is not None and exchange.response.header("Set-Cookie"):
            with_cookies.add(user)
    return callers


def credential_of(request: Request) -> str | None:
    """Return the credential in `request`; None when it has none."""
    for location, pairs in ((Location.HEADER, request.headers), (Location.QUERY, request.query)):
        for name, value in pairs:
            if may_identify(location, name) and value not in ("", None):
                return str(value)
    return None
