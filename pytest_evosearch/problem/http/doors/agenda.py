"""Which endpoints are climbed, in which order, and as which user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.known_callers import KnownCallers
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.learning.experience import Experience

MOST_PAIRS = 40
"""Most pairs of endpoints that are climbed one after the other; each takes three looks."""

MOST_LOG_INS = 6
"""Endpoints that are climbed though they seem to succeed."""

MOST_CLIMBS = 12
"""Most endpoints that are climbed before something is found; a common check makes them alike."""


class Agenda:
    """Proposes the next climb, from what endpoints answered so far."""

    def __init__(
        self,
        model: EndpointModel,
        experience: Experience,
        callers: KnownCallers,
        users_are_known: bool,
    ) -> None:
        self._model = model
        self._experience = experience
        self._callers = callers
        self._users_are_known = users_are_known
        """Whether there are users before the search: no log-in is climbed to find more."""
        self._climbed: set[tuple[str, str | None]] = set()
        self._refused: dict[str, dict[str, None]] = {}
        """User -> endpoints that have refused this user."""
        self._sent_on: dict[str, None] = {}
        """Endpoints that have redirected anonymous callers, perhaps to a log-in."""
        self._cookie_setters: dict[str, None] = {}
        """Safe endpoints that set cookies for anonymous callers."""
        self.ways: dict[str, Individual] = {}
        """Endpoint that was climbed after others -> the test that got through."""
        self._preceded: set[tuple[str, str]] = set()
        """Pairs of endpoints of which the second was climbed after the first."""
        self._tried_log_ins: set[str] = set()
        """Endpoints that were climbed though they seem to succeed."""

    def note(self, exchange: Exchange) -> None:
        """Learn from one exchange which endpoints refuse, redirect or set cookies."""
        endpoint = exchange.request.endpoint
        if exchange.user is None and _sets_cookies(exchange):
            self._cookie_setters[endpoint] = None
        if exchange.user is None and is_sent_on(exchange):
            self._sent_on[endpoint] = None
        is_admitted = exchange.user in self._callers.admitted
        if is_admitted and self._experience.outcomes.is_refused(exchange):
            self._refused.setdefault(exchange.user or "", {})[endpoint] = None

    def next_door(self, pressing: bool) -> tuple[str, str | None] | None:
        """Return the next endpoint to climb, and the user who climbs it."""
        climbs = Counter(user for _key, user in self._climbed)
        for key, user in self._climbs(pressing):
            if (key, user) not in self._climbed and climbs[user] < MOST_CLIMBS:
                self._climbed.add((key, user))
                return key, user
        return None

    def next_pair(self, pressing: bool) -> tuple[str, str] | None:
        """Return the next endpoint to climb after another one, which comes first."""
        pair = next(self._pairs(pressing), None)
        if pair is not None:
            self._preceded.add(pair)
        return pair

    def next_log_in(self) -> str | None:
        """Return the next endpoint to climb beyond its answer to a wrong log-in."""
        key = next(self._log_ins(), None)
        if key is not None:
            self._tried_log_ins.add(key)
        return key

    def climb_again(self) -> None:
        """Climb all endpoints again that refuse: there are new keys, users or steps."""
        self._climbed.clear()

    def got_through(self, key: str, individual: Individual) -> None:
        """Note the test that got through an endpoint after others; others may follow it now."""
        self.climb_again()
        self.ways[key] = individual
        self._preceded -= {pair for pair in self._preceded if pair[0] == key}

    def closed_pages(self) -> Iterator[str]:
        """Yield the first safe endpoints that refuse anonymous callers, or send them on."""
        keys = dict.fromkeys((*self.asked_again(), *self._sent_on))
        return islice(filter(is_safe, keys), MOST_CLIMBS)

    def may_refuse(self, key: str, surely: bool) -> bool:
        """Say whether an endpoint only refused, or only gave a response that many others give.

        Without `surely`, an endpoint that never succeeded is enough.
        """
        experience = self._experience
        if experience.outcomes.alike.is_only_alike(key):
            return True
        if experience.recipes.is_clear(key):
            return False
        return not surely or experience.admission.is_guarded(key)

    def turns_away(self, key: str) -> bool:
        """Say whether an endpoint has refused callers and served none.

        What many addresses answer alike is not enough: rows and fields may be missing everywhere.
        """
        is_clear = self._experience.recipes.is_clear(key)
        return self._experience.admission.is_guarded(key) and not is_clear

    def asked_again(self) -> Iterator[str]:
        """Yield the endpoints that refuse anonymous callers."""
        return (key for key in self._model.keys if self.may_refuse(key, surely=True))

    def _climbs(self, pressing: bool) -> Iterator[tuple[str, str | None]]:
        """Yield the endpoints that may refuse, each with a user; the anonymous caller comes first.

        While no caller is let in, the owner of an account that is created first tries it, too.
        """
        refusing = [key for key in self._model.keys if self.may_refuse(key, pressing)]
        for key in dict.fromkeys((*refusing, *self._sent_on)):
            if key in refusing:
                yield key, None
            if not self._callers.admitted:
                yield from ((key, owner) for owner in self._callers.first_owners())
        for user, caller in self._callers.admitted.items():
            passed = {call.endpoint for call in caller.way}
            keys = dict.fromkeys((*refusing, *self._refused.get(user, ())))
            yield from ((key, user) for key in keys if key not in passed)

    def _pairs(self, pressing: bool) -> Iterator[tuple[str, str]]:
        """Yield endpoints that may have to be called first, each with one that refuses."""
        if len(self._preceded) >= MOST_PAIRS:
            return
        refusing = [key for key in self._model.keys if self.may_refuse(key, pressing)]
        for key in dict.fromkeys((*refusing, *self._sent_on)):
            for producer in (*self.ways, *self._experience.changing, *self._cookie_setters):
                if producer != key and (producer, key) not in self._preceded:
                    yield producer, key

    def _log_ins(self) -> Iterator[str]:
        """Yield endpoints that may give a wrong log-in and a success equal responses.

        They are of interest where anything refuses, or sends anonymous callers elsewhere.
        """
        if self._users_are_known or len(self._tried_log_ins) >= MOST_LOG_INS:
            return
        if self._sent_on or any(self.asked_again()):
            changing = (key for key in self._experience.changing if not is_safe(key))
            yield from (key for key in changing if key not in self._tried_log_ins)


def is_sent_on(exchange: Exchange) -> bool:
    """Say whether a response is a redirect."""
    return FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL


def _sets_cookies(exchange: Exchange) -> bool:
    """Say whether a response that is no refusal sets cookies."""
    response = exchange.response
    is_set = response is not None and response.header("Set-Cookie") is not None
    return is_set and exchange.status < FIRST_REFUSAL and is_safe(exchange.request.endpoint)
