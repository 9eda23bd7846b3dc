"""Remembers how endpoints are called with success, so that all tests prepare in the same way."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.minimize.individual import linked_labels
from pytest_evosearch.minimize.individual import sent_inputs
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.individual import Input

Kind = tuple[str, int]
"""An endpoint, and the status that it answered: a form that is shown again is no log-in."""


@dataclass
class ServedCalls:
    """For each kind of call the one with the fewest inputs that a minimised test makes.

    Of several with as many it is that of the longest test: a registration and the log-in after it
    have to agree.  A call that takes more than its address from earlier ones is no model: elsewhere
    these are missing.
    """

    _shortest: dict[Kind, Call] = field(default_factory=dict)
    _lengths: dict[Kind, int] = field(default_factory=dict)
    """Calls of the test that a model is from."""
    _polished: set[Kind] = field(default_factory=set)
    """Kinds of which the model got no simpler, though there was time to try everything."""

    def note(
        self, individual: Individual, exchanges: Sequence[Exchange], polished: bool = False
    ) -> None:
        """Remember the calls of a minimised test that were served.

        `polished` says that nothing was left to try to make it simpler.
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

    def prepared(
        self,
        individual: Individual,
        exchanges: Sequence[Exchange],
        keeps: Callable[[Individual], bool],
    ) -> Individual:
        """Return the test with every call before the last like its model, as far as `keeps` agrees.

        `exchanges` are those of its calls.  Mostly all will do at once.
        """
        *before, last = individual.calls
        likened = [self._likened(*one) for one in _kinds(Individual(tuple(before)), exchanges)]
        attempt = Individual((*likened, last))
        if attempt == individual or keeps(attempt):
            return attempt
        for index, call in enumerate(likened):
            attempt = individual.with_call(index, call)
            if attempt != individual and keeps(attempt):
                individual = attempt
        return individual

    def settled(self, individual: Individual, exchanges: Sequence[Exchange]) -> frozenset[int]:
        """Return the labels of the calls before the last that send what a polished model does."""
        before = Individual(individual.calls[:-1])
        return frozenset(
            call.label
            for call, kind in _kinds(before, exchanges)
            if kind in self._polished and _send_the_same(call, self._shortest[kind])
        )

    def _likened(self, call: Call, kind: Kind) -> Call:
        """Return `call` with what its model sends, to its own address where one of them links."""
        model = self._shortest.get(kind)
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
    """Say whether two calls send the same values, whatever genes hold them."""
    return repr(sent_inputs(one)) == repr(sent_inputs(other))


def _beside_address(call: Call) -> Iterator[Input]:
    return (one for one in call.inputs if one.location is not Location.PATH)
