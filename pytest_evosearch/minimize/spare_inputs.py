"""Remembers unnecessary inputs of an endpoint's tests, so that other tests lose them at once.

Tests of a slow application have time for a dozen executions each. They may contain nine members of
which one matters, and a header that no test needs. Inputs that some test lost in its simplest form,
and that no test needed, are removed from the next one in a single attempt.
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
"""Represents an input itself, as opposed to the members of a document."""


@dataclass(frozen=True)
class Piece:
    """An input of an endpoint, or a member of its document."""

    endpoint: str
    location: str
    name: str
    member: str = WHOLE


@dataclass
class SpareInputs:
    """The inputs of tests that were minimised before."""

    _spared: set[Piece] = field(default_factory=set)
    _needed: set[Piece] = field(default_factory=set)

    def note(self, before: Individual, after: Individual, polished: bool) -> None:
        """Remember what a test has lost; the rest is needed when everything was tried."""
        kept = {call.label: call for call in after.calls}
        for call in before.calls:
            if call.label in kept:
                left = set(_pieces(kept[call.label]))
                self._spared.update(piece for piece in _pieces(call) if piece not in left)
                self._needed.update(left if polished else ())

    def without(self, individual: Individual) -> Individual:
        """Return a test without everything that other tests did not need."""
        spare = self._spared - self._needed
        return Individual(tuple(_without(call, spare) for call in individual.calls))


def _pieces(call: Call) -> Iterator[Piece]:
    """Yield the possibly unnecessary parts of a call."""
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
