"""Finds calls that depend on what other tests left on a server whose state is not restored.

A test counts only for results that it would repeat, on this server and on a similar one:

    POST /orders returns 201 with the id 17        17 is an order that a test has left
    GET /orders/17 returns 200, in another test    counts for nothing: no other server has it
    GET /orders/{id of an order of this test}      counts
    POST /users returns 409, and returned 201      counts for nothing: a test took the name
    DELETE /books/1 returns 204                    the whole test counts for nothing: each run of it
                                                   would destroy something that is not its own

A thing that existed before the search is gone as soon as a test of the search deletes it. So a
test that makes what it needs is preferred to a shorter one that finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.execution.answers import AnswerTargets
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.problem.http.descriptions.endpoint_relations import owner_words
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.responses import linkable_values

Thing: TypeAlias = "tuple[frozenset[str], str]"
"""Words for a thing and its identifier: ``({"order"}, "17")``."""

FOUND = 10
"""Calls that a test with found things counts for: the most that a test may have otherwise."""

LONGEST_NAME = 200
"""Most characters of a remembered text; a search sends many longer ones."""

NOT_THERE = 404
CONFLICT = 409

_COUNTED = re.compile(r"[1-9]\d{0,8}")
_DEEPEST = 3
"""Most steps in JSON to the identifier of something new: ``order``, ``id``."""


class AnswerTargetsWithResidue(AnswerTargets):
    """Turns exchanges into targets, as far as the test depends only on itself."""

    def __init__(self) -> None:
        super().__init__()
        self._left: set[Thing] = set()
        self._done: set[int] = set()
        """First calls of tests that succeeded, and may be refused later for that reason."""
        self._taken: set[tuple[str, str]] = set()
        """Endpoint with a text of a successful call, perhaps a name that is now taken."""
        self.foregone: dict[TargetId, None] = {}
        """Targets of tests that harm what they find; other tests may cover them."""

    def of_test(self, exchanges: Sequence[Exchange]) -> list[list[TargetId]]:
        """Return the status targets of each call; none where the test harms what it finds."""
        targets: list[list[TargetId]] = []
        depends = False  # once on what is left, always on it: later calls build on this one
        for place, exchange in enumerate(exchanges):
            depends = depends or self._counts_on_residue(exchange, exchanges[:place])
            targets.append([] if depends else self.of(exchange))
        self._note(exchanges)
        if not harms_others(exchanges):
            return targets
        self.foregone.update(dict.fromkeys(target for each in targets for target in each))
        return [[] for _ in exchanges]

    def burden(self, exchanges: Sequence[Exchange]) -> int:
        """Return by how many calls a test counts for longer, because it finds what it has not made.

        A number that it does not find counts, too: a later thing may get that number.
        """
        found = [id(exchange) for exchange in foreign_calls(exchanges) if is_success(exchange)]
        return FOUND * sum(
            id(exchange) in found or _names_a_number(exchange.request) for exchange in exchanges
        )

    def _counts_on_residue(self, exchange: Exchange, before: Sequence[Exchange]) -> bool:
        request, status = exchange.request, exchange.status
        if status >= FIRST_REFUSAL and not request.origins:
            if status == CONFLICT and not self._taken.isdisjoint(_texts(request)):
                return True
            if _whole(exchange) in self._done:
                return not any(one.request == request and is_success(one) for one in before)
        return status != NOT_THERE and not self._left.isdisjoint(_named(request))

    def _note(self, exchanges: Sequence[Exchange]) -> None:
        for place, exchange in enumerate(exchanges):
            if is_safe(exchange.request.endpoint) or not is_success(exchange):
                continue
            self._left.update(_made(exchange.request, exchange.response))
            self._taken.update(_texts(exchange.request))
            if not place:
                self._done.add(_whole(exchange))


def harms_others(exchanges: Sequence[Exchange]) -> bool:
    """Say whether a call changes something that the test has not made."""
    return any(map(_is_change, foreign_calls(exchanges)))


def foreign_calls(exchanges: Sequence[Exchange]) -> Iterator[Exchange]:
    """Yield the calls whose path names something that no earlier call of the test has made."""
    made: list[str] = []
    for exchange in exchanges:
        request = exchange.request
        if request.method == "PUT" and exchange.status == 201:
            made.append(_shown_path(request))
        elif _is_foreign(request, exchanges) and not _shown_path(request).startswith(tuple(made)):
            yield exchange


def is_success(exchange: Exchange) -> bool:
    """Say whether a call was not refused."""
    return 0 < exchange.status < FIRST_REFUSAL


def _is_change(exchange: Exchange) -> bool:
    """Say whether a call changed something; one that re-sends its form, or a log-in, did not."""
    response = exchange.response
    if is_safe(exchange.request.endpoint) or response is None or not is_success(exchange):
        return False
    if response.status < FIRST_REDIRECT:
        return not response.has_form
    return not turns_away(exchange)


def _is_foreign(request: Request, exchanges: Sequence[Exchange]) -> bool:
    origins = [request.origins.get(("path", name)) for name in request.path]
    if operation_of(request.template):
        body = request.json if isinstance(request.json, dict) else {}
        places = _identifying(body.get("variables"), ("json", "variables"))
        origins = [request.origins.get(place) for place in places]
    return any(
        origin is None or is_safe(exchanges[origin.call].request.endpoint) for origin in origins
    )


def _identifying(value: object, place: ValuePath) -> Iterator[ValuePath]:
    """Yield the places of identifiers in the variables of an operation of GraphQL."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield from _identifying(inner, (*place, str(name)))
        elif _identified_by(str(name)) is not None:
            yield (*place, str(name))


def _names_a_number(request: Request) -> bool:
    """Say whether a literal is a number such as a database assigns."""
    return any(_COUNTED.fullmatch(value) for _words, value in _named(request))


def _shown_path(request: Request) -> str:
    path = request.template
    for name, value in request.path.items():
        path = path.replace(f"{{{name}}}", str(value))
    return path


def _named(request: Request) -> Iterator[Thing]:
    """Yield the things that a request names by values from no earlier response."""
    for name, value in request.path.items():
        if ("path", name) not in request.origins:
            yield owner_words(request.template, name), str(value)
    fields = request.json.items() if isinstance(request.json, dict) else ()
    for kind, pairs in (("query", request.query), ("form", request.form), ("json", fields)):
        for name, value in pairs:
            words = _identified_by(str(name))
            if words is not None and (kind, name) not in request.origins:
                yield words, str(value)


def _made(request: Request, response: Response | None) -> Iterator[Thing]:
    """Yield the things that a response reports as new."""
    if response is None or request.template.endswith("}"):
        return
    resource = owner_words(f"{request.template}/{{id}}", "id")
    for (_json, *path), value in linkable_values(response):
        words = _identified_by(str(path[-1])) if 0 < len(path) < _DEEPEST else None
        if words is not None and words <= resource:
            yield resource, str(value)
    if response.location:
        yield resource, response.location.rstrip("/").rpartition("/")[2]


def _whole(exchange: Exchange) -> int:
    """Return a number for the whole call: everything that was sent, and the user."""
    return hash(repr((exchange.user, exchange.request)))


def _texts(request: Request) -> Iterator[tuple[str, str]]:
    """Yield the endpoint with each text of a request that may be a name."""
    for _place, text in sent_texts(request):
        if len(text) <= LONGEST_NAME:
            yield request.endpoint, text


def _identified_by(name: str) -> frozenset[str] | None:
    """Return the words of what a name identifies; empty for a bare ``id``, None for other names."""
    if not IDENTIFIER.is_meant_by(name, Certainty.LIKELY):
        return None
    return frozenset(singular(word) for word in words_of(name)[:-1])
