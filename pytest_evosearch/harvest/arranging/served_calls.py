"""Remembers successful calls of endpoints, so that all tests prepare in one way.

A test should only show what matters to it. So a preparing call is first simplified as far as the
endpoint's response stays alike, independent of any test. A test that needs more (ten books, a
discount) keeps it, and so shows that it matters.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.minimize.reducing import sent_inputs
from pytest_evosearch.minimize.shortening import minimize_individual
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import linked_labels

Kind = tuple[str, int]
"""An endpoint and its status: a form that is shown again is no log-in."""


@dataclass
class ServedCalls:
    """For each kind of call, the one with the fewest inputs in minimised tests.

    Of several with equally few inputs, it is that of the longest test: a registration and the
    log-in after it must agree. A call that uses earlier responses for more than its address is no
    model, because other tests lack the earlier calls.
    """

    _simplest: dict[Kind, Call] = field(default_factory=dict)
    """Calls without any input that their response does not need."""
    _settled: set[Kind] = field(default_factory=set)
    """Kinds whose simplest call could not be simplified further, with time to try everything."""
    _shortest: dict[Kind, Call] = field(default_factory=dict)
    _lengths: dict[Kind, int] = field(default_factory=dict)
    """Kind -> number of calls in the test of its model."""
    _polished: set[Kind] = field(default_factory=set)
    """Kinds whose model could not be simplified further, with time to try everything."""

    def note(
        self, individual: Individual, exchanges: Sequence[Exchange], polished: bool = False
    ) -> None:
        """Remember the successful calls of a minimised test.

        `polished` says whether every simplification was tried.
        """
        for call, kind in _kinds(individual, exchanges):
            is_served = 200 <= kind[1] < 400
            if is_served and not linked_labels(_beside_address(call)):
                self._note(call, kind, len(individual), polished)

    def _note(self, call: Call, kind: Kind, length: int, polished: bool) -> None:
        known = self._shortest.get(kind)
        fewer = 0 if known is None else len(known.inputs) - len(call.inputs)
        better = (polished, length) > (kind in self._polished, self._lengths.get(kind, 0))
        if known is None or fewer > 0 or (fewer == 0 and better):
            self._shortest[kind] = call
            self._lengths[kind] = length
            self._polished.discard(kind)
        if polished and _send_the_same(self._shortest[kind], call):
            self._polished.add(kind)

    def unknown(
        self, individual: Individual, exchanges: Sequence[Exchange]
    ) -> Iterator[Individual]:
        """Yield the beginnings of a test that end with a successful call of an unknown kind.

        `exchanges` are those of its calls.
        """
        before = Individual(individual.calls[:-1])
        for place, (_call, kind) in enumerate(_kinds(before, exchanges)):
            if 200 <= kind[1] < 400 and kind not in self._simplest:
                yield Individual(individual.calls[: place + 1])

    def learn(
        self,
        beginning: Individual,
        exchanges: Sequence[Exchange],
        execute: Callable[[Individual], Sequence[Exchange]],
        limit: int,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Find the simplest form of the last call of `beginning` with an equivalent response."""
        tried = 0
        latest = exchanges = exchanges[: len(beginning)]
        *_, (call, kind) = _kinds(beginning, exchanges)

        def keeps(attempt: Individual) -> bool:
            nonlocal tried, latest
            tried += 1
            if attempt.calls[-1].label != call.label:
                return False
            answers = execute(attempt)
            if not is_served_alike(answers[-1], exchanges[-1]):
                return False
            if any(one.response is None or one.crash is not None for one in answers):
                return False
            latest = answers
            return True

        start = self.prepared(beginning, exchanges, keeps)
        settled = self.settled(start, latest)
        found = minimize_individual(start, keeps, limit, settled, is_over=is_over)
        simplest = found.calls[-1]
        if linked_labels(_beside_address(simplest)):
            simplest = call  # other tests lack the calls whose values it uses
        elif tried < limit and not is_over():
            self._settled.add(kind)
        self._simplest[kind] = simplest

    def prepared(
        self,
        individual: Individual,
        exchanges: Sequence[Exchange],
        keeps: Callable[[Individual], bool],
    ) -> Individual:
        """Return the test with preparing calls replaced by their models, as far as `keeps` allows.

        `exchanges` are those of its calls. Mostly, all models work at once.
        """
        *before, last = individual.calls
        kinds = list(_kinds(Individual(tuple(before)), exchanges))
        likened = [
            [_likened(call, models.get(kind)) for call, kind in kinds]
            for models in ({**self._shortest, **self._simplest}, self._shortest)
        ]
        for calls in likened:
            attempt = Individual((*calls, last))
            if attempt == individual or keeps(attempt):
                return attempt
        for index, forms in enumerate(zip(*likened, strict=True)):
            for call in forms:
                attempt = individual.with_call(index, call)
                if attempt == individual or keeps(attempt):
                    individual = attempt
                    break
        return individual

    def settled(self, individual: Individual, exchanges: Sequence[Exchange]) -> frozenset[int]:
        """Return the labels of preparing calls that send what a polished model sends."""
        before = Individual(individual.calls[:-1])
        return frozenset(
            call.label
            for call, kind in _kinds(before, exchanges)
            if (kind in self._settled and _send_the_same(call, self._simplest[kind]))
            or (kind in self._polished and _send_the_same(call, self._shortest[kind]))
        )


def is_served_alike(one: Exchange, other: Exchange) -> bool:
    """Say whether two responses have equivalent effects: a refused log-in is no log-in."""
    return _outcome(one) == _outcome(other)


def _outcome(exchange: Exchange) -> tuple[int, str, tuple[str, ...] | None]:
    response = exchange.response
    if response is None:
        return (0, "", None)
    place = urlsplit(response.location or "").path
    return (response.status, place, _keys(response))


def _keys(response: Response) -> tuple[str, ...] | None:
    """Return the keys of a JSON object, None for other responses."""
    body = response.document()
    return tuple(sorted(map(str, body))) if isinstance(body, dict) else None


def _likened(call: Call, model: Call | None) -> Call:
    """Return `call` with the inputs of its model, but with its own address where one has links."""
    if model is None:
        return call
    if not linked_labels((*call.inputs, *model.inputs)):
        return replace(call, inputs=model.inputs)
    address = [one for one in call.inputs if one.location is Location.PATH]
    return replace(call, inputs=(*address, *_beside_address(model)))


def _kinds(individual: Individual, exchanges: Sequence[Exchange]) -> Iterator[tuple[Call, Kind]]:
    for call, exchange in zip(individual.calls, exchanges, strict=False):
        yield call, (call.endpoint, exchange.status)


def _send_the_same(one: Call, other: Call) -> bool:
    """Say whether two calls send equal values, whatever their genes."""
    return repr(sent_inputs(one)) == repr(sent_inputs(other))


def _beside_address(call: Call) -> Iterator[Input]:
    return (one for one in call.inputs if one.location is not Location.PATH)
