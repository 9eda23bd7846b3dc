"""Remembers how endpoints are called with success, so that all tests prepare in the same way."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.minimize.individual import linked_labels
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.individual import Input


@dataclass
class ServedCalls:
    """For each endpoint the call with the fewest inputs that a minimised test makes.

    A call that takes more than its address from earlier ones is no model: elsewhere these are
    missing.
    """

    _shortest: dict[str, Call] = field(default_factory=dict)

    def note(self, individual: Individual, exchanges: Sequence[Exchange]) -> None:
        """Remember the calls of a minimised test that were served."""
        for call, exchange in zip(individual.calls, exchanges, strict=False):
            known = self._shortest.get(call.endpoint)
            is_shorter = known is None or len(call.inputs) < len(known.inputs)
            is_served = exchange.response is not None and 200 <= exchange.status < 400
            if is_shorter and is_served and not linked_labels(_beside_address(call)):
                self._shortest[call.endpoint] = call

    def prepared(self, individual: Individual, keeps: Callable[[Individual], bool]) -> Individual:
        """Return the test with every call before the last like its model, as far as `keeps` agrees.

        Mostly all will do at once.
        """
        *before, last = individual.calls
        likened = [self._likened(call) for call in before]
        attempt = Individual((*likened, last))
        if attempt == individual or keeps(attempt):
            return attempt
        for index, call in enumerate(likened):
            attempt = individual.with_call(index, call)
            if attempt != individual and keeps(attempt):
                individual = attempt
        return individual

    def _likened(self, call: Call) -> Call:
        """Return `call` with what its model sends, to its own address where one of them links."""
        model = self._shortest.get(call.endpoint)
        if model is None:
            return call
        if not linked_labels((*call.inputs, *model.inputs)):
            return replace(call, inputs=model.inputs)
        address = [one for one in call.inputs if one.location is Location.PATH]
        return replace(call, inputs=(*address, *_beside_address(model)))


def _beside_address(call: Call) -> Iterator[Input]:
    return (one for one in call.inputs if one.location is not Location.PATH)
