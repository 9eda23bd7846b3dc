"""Which endpoints are climbed, in which order, and as which user.

a kind of refusal    endpoints that give one response to a caller, or redirect to one page
the kinds take turns; of each, a few endpoints are climbed
    log-ins that redirects name: where the form of the page leads to, and what this leads to
    endpoints that refuse, as the anonymous caller and as each known one
    endpoints that refuse, after another one that changes something
    endpoints that seem to succeed, but may give a wrong log-in and a right one one response
    endpoints whose calls fail for callers who are let in, each time that a call gets further
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.known_callers import KnownCallers
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.responses import location_path
from pytest_evosearch.problem.http.learning.alike import answer_of
from pytest_evosearch.problem.http.learning.experience import Experience

MOST_OF_A_KIND = 4
"""Most climbs of one kind: what one of its endpoints does not show, the others do not either."""

MOST_CLIMBS = 4
"""Most climbs of an endpoint that only fails: one for each time that its calls got further."""

MOST_IN_VAIN = 50
"""Climbs in a row without a caller let in, after which there are no more."""

MOST_PAGES = 12
"""Most closed pages that are compared for a log-in."""


class Attempt(NamedTuple):
    """A climb to be made."""

    key: str
    kind: object
    """What it has in common with others."""
    user: str | None = None
    after: str = ""
    """The endpoint that is called first."""
    is_log_in: bool = False
    """Whether the endpoint may give a wrong log-in the response of a success."""
    is_failing: bool = False
    """Whether the endpoint only fails, though callers are let in."""

    @property
    def place(self) -> tuple[str, str | None, str, bool]:
        """What is climbed, by whom, and after what."""
        return self.key, self.user, self.after, self.is_log_in


class Agenda:
    """Proposes the next climb, from what endpoints answered so far."""

    def __init__(
        self,
        model: EndpointModel,
        experience: Experience,
        callers: KnownCallers,
        users_are_known: bool,
        endpoint_at: Callable[[str, str], str | None],
    ) -> None:
        self._model = model
        self._experience = experience
        self._callers = callers
        self._users_are_known = users_are_known
        """Whether there are users before the search: no log-in is climbed to find more."""
        self._endpoint_at = endpoint_at
        """Returns the endpoint that answers a method at a path."""
        self._answers: dict[tuple[str, str | None], object] = {}
        """Endpoint and user -> the last response, without what differs by chance."""
        self._refused: dict[str, dict[str, None]] = {}
        """User -> endpoints that have refused this user."""
        self._led_to: dict[str, dict[str, None]] = {}
        """Endpoint that has redirected anonymous callers -> pages, perhaps with a log-in."""
        self._sent_on: dict[str, None] = {}
        self._cookie_setters: dict[str, None] = {}
        """Safe endpoints that set cookies for anonymous callers."""
        self.ways: dict[str, Individual] = {}
        """Endpoint that was climbed after others -> the test that got through."""
        self._made: set[tuple[str, str | None, str, bool]] = set()
        self._followed: Counter[str] = Counter()
        """Endpoint that fails -> how far its calls had got when it was climbed."""
        self._turns: Counter[object] = Counter()
        """Kind -> how many of its endpoints were climbed."""
        self._in_vain = 0
        self._idle: set[bool] = set()
        """Whether pressing climbs, and others, were all made, as far as known."""

    def note(self, exchange: Exchange) -> None:
        """Learn from one exchange which endpoints refuse, redirect or set cookies."""
        endpoint = exchange.request.endpoint
        place, answer = (endpoint, exchange.user), kind_of_answer(exchange)
        if self._answers.get(place) != answer:
            self._answers[place] = answer
            self._idle.clear()
        if exchange.user is None and _sets_cookies(exchange):
            self._cookie_setters[endpoint] = None
        if exchange.user is None and is_sent_on(exchange):
            self._sent_on[endpoint] = None
            page = self._endpoint_at("GET", _path_of(exchange))
            if page is not None and page != endpoint:
                self._led_to.setdefault(endpoint, {})[page] = None
        caller = self._callers.admitted.get(exchange.user or "")
        # Another role may be served where the owner of an account is sent on.
        may_change = caller is not None and caller.account is not None
        is_refused = self._experience.outcomes.is_refused(exchange)
        if caller is not None and (is_refused or (may_change and is_sent_on(exchange))):
            self._refused.setdefault(exchange.user or "", {})[endpoint] = None

    def next_attempt(self, pressing: bool) -> Attempt | None:
        """Return the next climb, None where none is left.

        With `pressing`, take only endpoints that are known to refuse.
        """
        if self._in_vain >= MOST_IN_VAIN or pressing in self._idle:
            return None if pressing else self._failing()
        named = () if self._users_are_known else self._named_log_ins()
        doubted = () if self._users_are_known or pressing else self._log_ins()
        for group in (named, self._doors(pressing), self._pairs(pressing), doubted):
            waiting = [one for one in group if self._is_waiting(one)]
            if waiting:
                attempt = min(waiting, key=lambda one: self._turns[one.kind])
                self._made.add(attempt.place)
                self._turns[attempt.kind] += 1
                self._in_vain += 1
                return attempt
        failing = None if pressing else self._failing()
        if failing is None:
            self._idle.add(pressing)
        return failing

    def _failing(self) -> Attempt | None:
        """Return an endpoint whose calls fail, and got further than when it was climbed last."""
        for key, news in self._experience.news.items():
            is_due = self._followed[key] < news and self._turns["failing", key] < MOST_CLIMBS
            if is_due and key in self._experience.attempts:
                self._followed[key] = news
                self._turns["failing", key] += 1
                return Attempt(key, ("failing", key), is_failing=True)
        return None

    def _is_waiting(self, attempt: Attempt) -> bool:
        return attempt.place not in self._made and self._turns[attempt.kind] < MOST_OF_A_KIND

    def climb_again(self) -> None:
        """Climb all endpoints again that refuse: there are new keys, users or steps."""
        self._idle.clear()
        self._made = {place for place in self._made if place[2] or place[3]}
        self._turns = Counter({kind: n for kind, n in self._turns.items() if not _is_door(kind)})

    def got_through(self, key: str, individual: Individual) -> None:
        """Note the test that got through an endpoint after others; others may follow it now."""
        self.climb_again()
        self._in_vain = 0
        self.ways[key] = individual
        self._made = {place for place in self._made if place[2] != key}

    def closed_pages(self) -> Iterator[str]:
        """Yield the first safe endpoints that refuse anonymous callers, or send them on."""
        keys = dict.fromkeys((*self.asked_again(), *self._sent_on))
        return islice(filter(is_safe, keys), MOST_PAGES)

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
        return self._refusing(surely=True)

    def _refusing(self, surely: bool) -> Iterator[str]:
        return (key for key in self._model.keys if self.may_refuse(key, surely))

    def _doors(self, pressing: bool) -> Iterator[Attempt]:
        """Yield the endpoints that may refuse, each with a user; the anonymous caller comes first.

        While no caller is let in, the owner of an account that is created first tries it, too.
        """
        refusing = list(self._refusing(pressing))
        owners = () if self._callers.admitted else tuple(self._callers.first_owners())
        for key in dict.fromkeys((*refusing, *self._sent_on)):
            for user in (*([None] if key in refusing else []), *owners):
                yield Attempt(key, ("door", user, self._answers.get((key, None))), user)
        for user, caller in self._callers.admitted.items():
            passed = {call.endpoint for call in caller.way}
            for key in dict.fromkeys((*refusing, *self._refused.get(user, ()))):
                if key not in passed:
                    yield Attempt(key, ("door", user, self._answers.get((key, user))), user)

    def _named_log_ins(self) -> Iterator[Attempt]:
        """Yield log-ins to which anonymous callers are redirected, and where these lead on."""
        for page in dict.fromkeys(page for pages in self._led_to.values() for page in pages):
            for key in self._submitted_from(page):
                yield Attempt(key, key, is_log_in=True)
                for second in self._led_to.get(key, ()):
                    for following in self._submitted_from(second):
                        if following != key:
                            yield Attempt(following, (key, following), None, key, is_log_in=True)

    def _submitted_from(self, page: str) -> list[str]:
        """Return the endpoints to which a page's forms lead, else the one at its own address."""
        found = [key for key in self._model.forms.submitted_from(page) if not is_safe(key)]
        own = self._endpoint_at("POST", page.partition(" ")[2])
        return found or ([own] if own is not None else [])

    def _pairs(self, pressing: bool) -> Iterator[Attempt]:
        """Yield endpoints that refuse, each with one that may have to be called first."""
        refusing = dict.fromkeys((*self._refusing(pressing), *self._sent_on))
        producers = (*self._experience.changing, *self._cookie_setters)
        for kind, key in self._of_each_kind(refusing):
            for way, individual in self.ways.items():
                if all(call.endpoint != key for call in individual):
                    yield Attempt(key, ("pair", way, kind), after=way)
            for made, producer in self._of_each_kind(producers):
                if producer != key and producer not in self.ways:
                    yield Attempt(key, ("pair", made, kind), after=producer)

    def _log_ins(self) -> Iterator[Attempt]:
        """Yield endpoints that may give a wrong log-in and a success equal responses.

        They are of interest where anything refuses, or sends anonymous callers elsewhere.
        """
        if self._sent_on or any(self.asked_again()):
            changing = (key for key in self._experience.changing if not is_safe(key))
            for kind, key in self._of_each_kind(changing):
                yield Attempt(key, ("log-in", kind), is_log_in=True)

    def _of_each_kind(self, keys: Iterable[str]) -> Iterator[tuple[object, str]]:
        """Yield endpoints with their last response to the anonymous caller, a few of each kind."""
        number: Counter[object] = Counter()
        for key in keys:
            kind = self._answers.get((key, None))
            number[kind] += 1
            if number[kind] <= MOST_OF_A_KIND:
                yield kind, key


def _is_door(kind: object) -> bool:
    return isinstance(kind, tuple) and kind[:1] == ("door",)


def is_sent_on(exchange: Exchange) -> bool:
    """Say whether a response is a redirect."""
    return FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL


def kind_of_answer(exchange: Exchange) -> object:
    """Return what identifies the kind of a response."""
    if is_sent_on(exchange):
        return exchange.status, _path_of(exchange)
    return answer_of(exchange)


def _path_of(exchange: Exchange) -> str:
    """Return where a response redirects to."""
    return location_path(exchange.response) if exchange.response is not None else ""


def _sets_cookies(exchange: Exchange) -> bool:
    """Say whether a response that is no refusal sets cookies."""
    response = exchange.response
    is_set = response is not None and response.header("Set-Cookie") is not None
    return is_set and exchange.status < FIRST_REFUSAL and is_safe(exchange.request.endpoint)
