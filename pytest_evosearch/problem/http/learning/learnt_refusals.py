"""The learnt verdict: which responses refuse their caller, whatever their status.

    HTTP      401 and 403, and redirects to the log-in
    a page    to which many addresses redirect
    alike     one response at many addresses, with evidence from a key, a user or the code
              (`alike`)

All other modules ask `problem.http.exchanges.refusals.turns_away`, which reads the notes made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.core.http_words import UNAUTHORIZED
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.endpoint import View
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.refusals import says_so_itself
from pytest_evosearch.problem.http.exchanges.responses import location_segments
from pytest_evosearch.problem.http.learning.alike import AlikeAnswers
from pytest_evosearch.problem.http.learning.alike import Way

TURNED_AWAY = 4
"""Addresses that redirect to one page before it counts as a wall.

Two or three are often actions that return to the start (``GET /logout``, ``GET /clear``).
"""

Segments = tuple[str, ...]
"""Segments of the path of an address."""


class Walls:
    """Pages to which callers are redirected because they must do something else first.

    Examples are to confirm an address, to set the application up, or to accept its terms. Every
    request gets this redirect, so it is no success, like a redirect to the log-in page.
    """

    def __init__(self) -> None:
        self._senders: dict[Segments, set[str]] = {}

    def learn(self, exchange: Exchange) -> Segments:
        """Learn from one response; return a page that is newly known as a wall, or ()."""
        page = redirected_to(exchange)
        request = exchange.request
        if not page or request.method not in SAFE_METHODS or "{" in request.template:
            return ()
        asked = segments_of(request.template)
        if asked[: len(page)] == page:
            return ()  # the parent path: ``/users/new`` leads to ``/users``
        senders = self._senders.setdefault(page, set())
        known = len(senders)
        senders.add(request.template)
        return page if known < TURNED_AWAY == len(senders) else ()

    def stop(self, exchange: Exchange) -> bool:
        """Say whether the response redirects to a wall; responses of the wall itself never do."""
        page = redirected_to(exchange)
        return self._is_wall(page) and segments_of(exchange.request.template) != page

    def stand_at(self, key: str) -> bool:
        """Say whether an endpoint has the address of a wall: it may be what must be done first."""
        return self._is_wall(segments_of(key.partition(" ")[2]))

    def _is_wall(self, page: Segments) -> bool:
        return len(self._senders.get(page, ())) >= TURNED_AWAY


class Refusals:
    """Learns which responses refuse callers, and marks exchanges."""

    def __init__(self, resources: Resources, views: Mapping[str, View | None]) -> None:
        self.walls = Walls()
        self.alike = AlikeAnswers(views)
        self._entrances = {*resources.logins, *resources.registrations}
        self._login_paths = {segments_of(key.partition(" ")[2]) for key in resources.logins}

    def refuses_caller(self, exchange: Exchange) -> bool:
        """Say whether a response refuses its caller, as far as known now."""
        response = exchange.response
        if response is None:
            return False
        if response.status in REFUSING:
            return True
        if exchange.crash is None and self.alike.refuses(exchange):
            return True
        if exchange.request.endpoint in self._entrances:
            return False
        if not FIRST_REDIRECT <= response.status < FIRST_REFUSAL:
            return False
        page = redirected_to(exchange)
        return page in self._login_paths or self.walls.stop(exchange) or says_so_itself(exchange)

    def marked(self, exchange: Exchange) -> Exchange:
        """Return the exchange with a mark that says whether it refused its caller.

        A refusal with any other status than a redirect means 401.
        """
        refused = self.refuses_caller(exchange)
        response = exchange.response
        if response is None or (not refused and not says_so_itself(exchange)):
            return exchange
        is_shown = response.status in REFUSING or FIRST_REDIRECT <= response.status < FIRST_REFUSAL
        meaning = UNAUTHORIZED if refused and not is_shown else exchange.meaning
        return replace(exchange, refused=refused, meaning=meaning)

    def note_ways(self, exchanges: Sequence[Exchange], ways: Sequence[Way]) -> None:
        """Learn from the code that each call of a test executed, call by call.

        The conclusions only take effect when the search next learns. So exchanges do not change
        their meaning during the harvest.
        """
        if len(exchanges) == 1 == len(ways):
            self.alike.note_way(exchanges[0], ways[0])


def redirected_to(exchange: Exchange) -> Segments:
    """Return where a response redirects to, as path segments; () for nowhere and the root."""
    response = exchange.response
    if response is None or not FIRST_REDIRECT <= response.status < FIRST_REFUSAL:
        return ()
    return tuple(location_segments(response))


def segments_of(path: str) -> Segments:
    """Return the segments of a path."""
    return tuple(part for part in path.split("/") if part)
