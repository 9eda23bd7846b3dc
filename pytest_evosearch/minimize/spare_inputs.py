"""Remembers what tests of an endpoint could do without, so that other tests lose it at once.

Tests of a slow application have time for a dozen executions each, and may carry nine members of
which one matters, beside a header that no test needs.  What some test sent at first and not in its
simplest form, and none has turned out to need, is left out of the next one in a single attempt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

WHOLE = ""
"""Stands for an input itself, beside the members of a document."""


@dataclass(frozen=True)
class Piece:
    """An input of an endpoint, or a member of the document that it holds."""

    endpoint: str
    location: str
    name: str
    member: str = WHOLE


@dataclass
class SpareInputs:
    """What tests sent that were minimised before."""

    _spared: set[Piece] = field(default_factory=set)
    _needed: set[Piece] = field(default_factory=set)

    def note(self, before: Individual, after: Individual, polished: bool) -> None:
        """Remember what a test has lost; what is left is needed where everything was tried."""
        kept = {call.label: call for call in after.calls}
        for call in before.calls:
            if call.label in kept:
                left = set(_pieces(kept[call.label]))
                self._spared.update(piece for piece in _pieces(call) if piece not in left)
                self._needed.update(left if polished else ())

    def without(self, individual: Individual) -> Individual:
        """Return a test without everything that others could do without."""
        spare = self._spared - self._needed
        return Individual(tuple(_without(call, spare) for call in individual.calls))


def _pieces(call: Call) -> Iterator[Piece]:
    """Yield what a call sends and might do without."""
    for given in call.inputs:
        if given.location is not Location.PATH and given.gene.value() is not ABSENT:
            yield _piece(call, given)
            for name in _members(given):
                yield _piece(call, given, name)


def _members(given: Input) -> list[str]:
    parts = given.gene.sent().named_parts()
    return [name for name, part in parts.items() if part.value() is not ABSENT]


def _piece(call: Call, given: Input, member: str = WHOLE) -> Piece:
    return Piece(call.endpoint, given.location.value, given.name, member)


def _without(call: Call, spare: set[Piece]) -> Call:
    inputs = tuple(
        _trimmed(call, given, spare) for given in call.inputs if _piece(call, given) not in spare
    )
    return call if inputs == call.inputs else replace(call, inputs=inputs)


def _trimmed(call: Call, given: Input, spare: set[Piece]) -> Input:
    document = given.gene.sent()
    for name in _members(given):
        if _piece(call, given, name) in spare:
            part = document.named_parts()[name].sent()
            document = document.with_child(name, OptionalGene(part, active=False))
    if document is given.gene.sent():
        return given
    return replace(given, gene=OptionalGene(document) if given.gene.is_optional else document)
