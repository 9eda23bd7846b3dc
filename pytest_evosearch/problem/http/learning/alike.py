"""Finds refusals with any status: a check gives one response at many addresses.

A refusal may have any status, even 200. Three kinds of evidence distinguish it from a success:

    a key      a value that opens one endpoint changes the response of others, too
    a caller   a user gets a success where a stranger gets the refusal, with the same request
    the code   many endpoints that give strangers no other response execute the same lines for it,
               lines that no other response executes, and almost none of their own; a view that
               was executed to its end has refused no caller with a success
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import quote

from pytest_evosearch.core.chance import shape
from pytest_evosearch.core.http_words import BEFORE_THE_CALLER
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.problem.http.exchanges.endpoint import View
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.problem.http.learning.view_statements import statement_lines

CROWD = 4
"""Addresses with one response before it is examined."""

FEWEST_WAYS = 3
"""Fewest endpoints whose lines must be compared for proof."""

MOST_WAYS = 6
"""Most endpoints whose lines are kept for one response."""

MOST_OWN_LINES = 4
"""Most own lines of a view that checks its caller first: the check, and the refusal."""

MOST_ANSWERS = 8
"""Most responses of one endpoint that are kept apart; with more, no check causes them."""

MOST_REQUESTS = 2000
"""Most requests of strangers that are remembered, to compare them with those of users."""

LONGEST_ANSWER = 400
"""Most characters of a body that are compared."""

Answer: TypeAlias = "tuple[int, str]"
"""Status and beginning of the body, without numbers and without names of the endpoint."""

Way: TypeAlias = "frozenset[TargetId]"
"""The code that a call executed."""


def answer_of(exchange: Exchange) -> Answer | None:
    """Return what identifies a response; None without a response, or for an empty success."""
    response = exchange.response
    if response is None or not (response.body or response.status >= FIRST_REFUSAL):
        return None
    template = exchange.request.template
    return response.status, _shape(response.body[: 2 * LONGEST_ANSWER], _named(template))


@lru_cache(maxsize=512)
def _named(template: str) -> tuple[str, ...]:
    """Return the texts by which a response names its endpoint."""
    field = operation_of(template).partition(".")[2]
    if field:
        return (field,)
    return tuple(dict.fromkeys((template, quote(template, safe="")))) if len(template) > 1 else ()


@lru_cache(maxsize=2048)
def _shape(body: bytes, names: tuple[str, ...]) -> str:
    text = body.decode("utf-8", "replace")[:LONGEST_ANSWER]
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text)
    return shape(text)


class AlikeAnswers:
    """Knows which responses many addresses share, and which of them refuse callers."""

    def __init__(self, views: Mapping[str, View | None] = MappingProxyType({})) -> None:
        self._views = views
        """Endpoint -> its view function, as far as known."""
        self._addresses: dict[Answer, set[str]] = {}
        self._answers: dict[str, set[Answer | None]] = {}
        self._to_strangers: dict[str, set[Answer | None]] = {}
        """Endpoint -> its responses to strangers whose first call it was."""
        self._refusals: set[Answer] = set()
        """Responses that a key or a user has shown to be refusals."""
        self._ways: dict[Answer, dict[str, Way]] = {}
        self._asked: dict[object, Answer] = {}
        """Request of a stranger -> the failure that it got."""
        self._walls: frozenset[Answer] = frozenset()
        """Responses that the code has shown to be refusals so far."""
        self._sees_code = False
        """Whether any call was seen to execute code of the application."""
        self._is_old = False
        """Whether to search for refusals again."""

    def learn(self, exchange: Exchange, is_first: bool = True) -> None:
        """Learn from one response, to the first call of a test or to a later one."""
        known = self._answers.setdefault(exchange.request.endpoint, set())
        answer = answer_of(exchange)
        if len(known) < MOST_ANSWERS:
            known.add(answer)
        if answer is not None and answer in known:
            self._addresses.setdefault(answer, set()).add(exchange.request.template)
        if is_first and not exchange.frozen:
            self._compare(exchange, answer)

    def _compare(self, exchange: Exchange, answer: Answer | None) -> None:
        """Learn from the response to a first call, by its sender."""
        if is_stranger(exchange.user):
            seen = self._to_strangers.setdefault(exchange.request.endpoint, set())
            if answer not in seen and len(seen) < MOST_ANSWERS:
                seen.add(answer)
                self._is_old = bool(self._ways)
            if answer is not None and _may_refuse(answer) and len(self._asked) < MOST_REQUESTS:
                self._asked.setdefault(_asked(exchange.request), answer)
        elif exchange.crash is None and 0 < exchange.status < FIRST_REFUSAL:
            refused = self._asked.get(_asked(exchange.request))
            if refused is not None and refused not in self._refusals:
                self._refusals.add(refused)

    def wants_way(self, key: str) -> bool:
        """Say whether to record the lines that an endpoint executes for this response."""
        seen = self._to_strangers.get(key, set())
        if not self._are_shared(seen):
            return False
        answers = (one for one in seen if one is not None)
        ways = [self._ways.get(one, {}) for one in answers if one not in self._refusals]
        return any(key not in known and len(known) < MOST_WAYS for known in ways)

    def note_way(self, exchange: Exchange, way: Way) -> None:
        """Learn the code of a refused call whose only fault may be its caller."""
        self._sees_code = self._sees_code or bool(way)
        answer = answer_of(exchange)
        if answer is None or not exchange.routed or not is_stranger(exchange.user):
            return
        if not self._sees_code:
            return  # a server of its own, or code without probes
        if not 0 < answer[0] < FIRST_FAILURE:
            return
        if not way and answer[0] in BEFORE_THE_CALLER:
            return
        if way and _may_blame_the_request(exchange.request, answer[0]):
            return  # without code of the application, nothing has checked the request
        ways = self._ways.setdefault(answer, {})
        if exchange.request.endpoint not in ways and len(ways) < MOST_WAYS:
            ways[exchange.request.endpoint] = way
            self._is_old = True

    def is_only_alike(self, key: str) -> bool:
        """Say whether an endpoint has only given responses that many others give, too."""
        return self._are_shared(self._answers.get(key, set()))

    def _are_shared(self, answers: Collection[Answer | None]) -> bool:
        return bool(answers) and all(
            answer is not None and len(self._addresses.get(answer, ())) >= CROWD
            for answer in answers
        )

    def sharing(self, answer: Answer | None) -> list[str]:
        """Return the endpoints that have given a response."""
        return [key for key, answers in self._answers.items() if answer in answers]

    def refuses(self, exchange: Exchange) -> bool:
        """Say whether a response is known to refuse callers."""
        if not (self._refusals or self._walls):
            return False
        answer = answer_of(exchange)
        return answer in self._refusals or answer in self._walls

    def note_refusal(self, answer: Answer) -> list[str]:
        """Note that a response refuses callers; return the endpoints that have given it."""
        self._refusals.add(answer)
        return self.sharing(answer)

    def new_walls(self) -> list[Answer]:
        """Search for refusals when there are new responses; return the new ones."""
        if not self._is_old:
            return []
        self._is_old = False
        before = self._walls
        crowds = [one for one, ways in self._ways.items() if len(ways) >= FEWEST_WAYS]
        self._walls = frozenset(one for one in crowds if self._is_wall(one, crowds))
        return [one for one in crowds if one in self._walls and one not in before]

    def _ran_through(self, key: str, way: Way) -> bool:
        """Say whether a call executed all of its view, so that nothing was kept from its caller."""
        view = self._views.get(key)
        lines = statement_lines(view) if view is not None else frozenset()
        return bool(lines) and lines <= _executed(view, way)

    def _is_wall(self, answer: Answer, crowds: Collection[Answer]) -> bool:
        """Say whether the code shows that a response refuses callers."""
        ways = {
            key: way
            for key, way in self._ways[answer].items()
            if self._are_shared(self._to_strangers.get(key, set()))
        }
        if len(ways) < FEWEST_WAYS or len(self._addresses.get(answer, ())) < CROWD:
            return False
        shared = frozenset.intersection(*ways.values())
        others = (
            way
            for other, theirs in self._ways.items()
            if other not in crowds
            for way in theirs.values()
        )
        special = shared.difference(*others)
        own = [sum(kind_of(one) == LINE for one in way - shared) for way in ways.values()]
        if max(own) == 0:  # before any view; a view at several addresses is always like itself
            is_entered = any(_executed(self._views.get(key), shared) for key in ways)
            return not is_entered and (answer[0] >= FIRST_REFUSAL or bool(special))
        if max(own) > MOST_OWN_LINES:
            return False
        if answer[0] < FIRST_REFUSAL and any(self._ran_through(*one) for one in ways.items()):
            return False
        return any(kind_of(one) == BRANCH for one in special)


def is_stranger(user: str | None) -> bool:
    """Say whether the sender of a call has no name."""
    return user in (None, STRANGER, NOBODY)


def _executed(view: View | None, way: Way) -> frozenset[int]:
    """Return the lines of a function, or of a lambda, that a call executed."""
    if view is None:
        return frozenset()
    places = (subject_of(target)[:2] for target in way if kind_of(target) in (LINE, BRANCH))
    inside = view.inside
    return frozenset(
        line for path, line in places if line in inside and view.file.endswith(f"/{path}")
    )


def _may_refuse(answer: Answer) -> bool:
    return FIRST_REFUSAL <= answer[0] < FIRST_FAILURE and answer[0] not in BEFORE_THE_CALLER


def _may_blame_the_request(request: Request, status: int) -> bool:
    """Say whether a failure may have another cause than the caller.

    An address with a value may name no resource, and sent inputs may be wrong.
    """
    if status < FIRST_REFUSAL:
        return False
    return bool(request.path) or not is_safe(request.endpoint)


def _asked(request: Request) -> object:
    """Return what a request asks for, without parts that may identify the caller."""
    sent = (request.path, request.query, request.form, request.json, request.text)
    return request.endpoint, repr(sent)
