"""Knows which endpoints refuse whatever carries no token against forgery, whoever sends it."""

from __future__ import annotations

import re

from pytest_evosearch.problem.http.exchange import Exchange

REFUSALS = frozenset((400, 403))
MENTIONS_FORGERY = re.compile(rb"csrf|xsrf|forgery", re.IGNORECASE)
"""In the answers of Flask-WTF, Flask-SeaSurf and most others: ``The CSRF token is missing.``"""


class ForgeryGate:
    """Remembers who was sent away for a missing token.

    The check takes place before the view, mostly before anybody asks who is there.  So the same
    request by somebody else tells nothing new.
    """

    def __init__(self) -> None:
        self._closed: set[str] = set()

    def learn(self, exchange: Exchange) -> None:
        """Take in one answer."""
        response = exchange.response
        if (
            response is not None
            and exchange.user is None
            and response.status in REFUSALS
            and MENTIONS_FORGERY.search(response.body)
        ):
            self._closed.add(exchange.request.endpoint)

    def is_closed(self, endpoint: str) -> bool:
        """Say whether an endpoint sent anybody without a name and without a token away."""
        return endpoint in self._closed
