"""Outcomes: which answers are a success, which turn the caller away."""

from __future__ import annotations

from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.responses import location_segments
from pytest_evosearch.problem.http.learning.alike import AlikeAnswers

MAILED_SUCCESS, CLEAR_SUCCESS, DOUBTFUL_SUCCESS, FAILURE = 3, 2, 1, 0
"""How surely a call succeeded; doubtful is a page with the form that was sent once more.

The surest are those that were asked for in a mail: what is guessed in the place of a token is
answered with the same redirect, and confirms nothing.
"""

TURNED_AWAY = 4
"""Addresses that lead to one page before it counts as a wall.  Two or three are deeds that lead
back to the start (``GET /logout``, ``GET /clear``)."""

Segments = tuple[str, ...]
"""Parts of the path of an address."""


class Walls:
    """Pages to which callers are sent that have something else to do first.

    To confirm an address, to set the application up, to accept its terms: whatever they ask for,
    they get a redirect, which says as little as one to the log-in page.
    """

    def __init__(self) -> None:
        self._senders: dict[Segments, set[str]] = {}

    def learn(self, exchange: Exchange) -> Segments:
        """Take in one answer; return the page that is known for a wall from now on, or nothing."""
        page = redirected_to(exchange)
        request = exchange.request
        if not page or request.method not in SAFE_METHODS or "{" in request.template:
            return ()
        asked = _segments(request.template)
        if asked[: len(page)] == page:
            return ()  # the way up: ``/users/new`` leads to ``/users``
        senders = self._senders.setdefault(page, set())
        known = len(senders)
        senders.add(request.template)
        return page if known < TURNED_AWAY == len(senders) else ()

    def stop(self, exchange: Exchange) -> bool:
        """Say whether the answer leads to a wall; the wall itself never does."""
        page = redirected_to(exchange)
        return self._is_wall(page) and _segments(exchange.request.template) != page

    def stand_at(self, key: str) -> bool:
        """Say whether an endpoint has the address of a wall: it may be what is to be done first."""
        return self._is_wall(_segments(key.partition(" ")[2]))

    def _is_wall(self, page: Segments) -> bool:
        return len(self._senders.get(page, ())) >= TURNED_AWAY


class Outcomes:
    """Tells success and refusal apart, redirects to a log-in page or a wall included."""

    def __init__(self, resources: Resources) -> None:
        self.walls = Walls()
        self.alike = AlikeAnswers()
        self._entrances = [*resources.logins, *resources.registrations]
        self._login_paths = {_segments(key.partition(" ")[2]) for key in resources.logins}

    def quality(self, exchange: Exchange) -> int:
        """Return how surely a call succeeded."""
        response = exchange.response
        if response is None or exchange.crash is not None or not 200 <= exchange.status < 400:
            return FAILURE
        if self.is_refused(exchange):
            return FAILURE
        if exchange.request.method not in SAFE_METHODS and _is_form_again(response):
            return DOUBTFUL_SUCCESS
        return MAILED_SUCCESS if exchange.request.was_mailed else CLEAR_SUCCESS

    def is_refused(self, exchange: Exchange) -> bool:
        """Say whether the caller was not known (401) or not trusted (403), whatever was said."""
        response = exchange.response
        if response is None:
            return False
        if response.status in (401, 403) or self.alike.refuses(exchange):
            return True
        if exchange.request.endpoint in self._entrances:
            return False
        return redirected_to(exchange) in self._login_paths or self.walls.stop(exchange)


def redirected_to(exchange: Exchange) -> Segments:
    """Return where an answer leads, as the parts of a path; nothing for nowhere and the root."""
    response = exchange.response
    if response is None or not 300 <= response.status < 400:
        return ()
    return tuple(location_segments(response))


def _segments(path: str) -> Segments:
    return tuple(part for part in path.split("/") if part)


def _is_form_again(response: Response) -> bool:
    return response.status == 200 and b"<form" in response.body
