"""Knows which endpoints refuse whatever carries no token against forgery, whoever sends it."""

from __future__ import annotations

import re

from pytest_evosearch.problem.http.endpoint import is_safe
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
        """Take in one answer.

        Reading needs no token: a page that refuses to be read mentions one in its own forms.
        """
        key, response = exchange.request.endpoint, exchange.response
        if response is None or response.status not in REFUSALS or exchange.user is not None:
            return
        if is_safe(key) or key in self._closed:
            return
        if MENTIONS_FORGERY.search(response.body):
            self._closed.add(key)

    def is_closed(self, endpoint: str) -> bool:
        """Say whether an endpoint sent anybody without a name and without a token away."""
        return endpoint in self._closed
