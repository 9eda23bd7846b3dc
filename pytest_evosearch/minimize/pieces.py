"""The parts of a request that it may omit: inputs, and members of documents."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
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


def pieces_of(call: Call) -> dict[Piece, object]:
    """Return the parts of a call that it may omit, with their values."""
    return dict(_pieces(call))


def without_pieces(call: Call, omitted: Collection[Piece]) -> Call:
    """Return a call without some of its parts."""
    inputs = tuple(
        _trimmed(call, given, omitted)
        for given in call.inputs
        if _piece(call, given) not in omitted
    )
    return call if inputs == call.inputs else replace(call, inputs=inputs)


def _pieces(call: Call) -> Iterator[tuple[Piece, object]]:
    for given in call.inputs:
        value = given.gene.value()
        if given.location is not Location.PATH and value is not ABSENT:
            yield _piece(call, given), value
            for name, member in _members(given).items():
                yield _piece(call, given, name), member


def _members(given: Input) -> dict[str, object]:
    values = {name: part.value() for name, part in given.gene.sent().named_parts().items()}
    return {name: value for name, value in values.items() if value is not ABSENT}


def _piece(call: Call, given: Input, member: str = WHOLE) -> Piece:
    return Piece(call.endpoint, given.location.value, given.name, member)


def _trimmed(call: Call, given: Input, omitted: Collection[Piece]) -> Input:
    document = given.gene.sent()
    for name in _members(given):
        if _piece(call, given, name) in omitted:
            part = document.named_parts()[name].sent()
            document = document.with_child(name, OptionalGene(part, active=False))
    if document is given.gene.sent():
        return given
    return replace(given, gene=OptionalGene(document) if given.gene.is_optional else document)
