"""The values that a test sent, place by place, and those that its handlers did not find."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.genes.visit import walk_values
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.problem.http.exchanges.seen_inside import Read

READABLE = frozenset(location.value for location in Location)
"""Locations of reads that an input can serve."""


@dataclass(frozen=True)
class Sent:
    """One value that a test sent, and its gene."""

    call: int
    endpoint: str
    key: tuple[Location, str]
    gene_path: Path
    value_path: tuple[str | int, ...]
    value: object
    gene: Gene


@dataclass(frozen=True)
class Unsent:
    """One value that a handler looked for and did not find."""

    call: int
    endpoint: str
    key: tuple[Location, str]
    value_path: tuple[str | int, ...]
    default: object


def is_link(gene: Gene) -> bool:
    """Say whether a gene sends a value of an earlier response."""
    return isinstance(gene.value(), Link)


def sent_values(individual: Individual, exchanges: Sequence[Exchange]) -> list[Sent]:
    """List the leaves of every executed call, with the values that were sent."""
    found: list[Sent] = []
    for index, (call, exchange) in enumerate(zip(individual.calls, exchanges, strict=False)):
        for given in call.inputs:
            for value_path, gene_path, gene in leaves(given.gene):
                if given.location is Location.ANSWER and value_path[:1] == ("failure",):
                    continue  # no code compares it
                value = gene.value()
                if isinstance(value, Link):
                    value = value_on_wire(exchange, given.location, given.name, value_path)
                if value is None or isinstance(value, bool) or value in ([], {}):
                    continue
                found.append(
                    Sent(index, call.endpoint, given.key, gene_path, value_path, value, gene)
                )
    # Later calls first: mostly the last call meets conditions that are still open.
    found.reverse()
    return found


def sent_lists(individual: Individual, exchanges: Sequence[Exchange]) -> list[Sent]:
    """List the whole lists of every executed call, of later calls first."""
    found = [
        Sent(index, call.endpoint, given.key, gene_path, value_path, value, gene)
        for index, (call, _exchange) in enumerate(zip(individual.calls, exchanges, strict=False))
        for given in call.inputs
        for value_path, gene_path, gene in walk_values(given.gene)
        if not gene.is_wrapper and isinstance(value := gene.value(), list)
    ]
    return found[::-1]


def value_on_wire(
    exchange: Exchange, location: Location, name: str, value_path: tuple[str | int, ...]
) -> object:
    """Return the value that a call sent at a place, resolved where it is a link; None for none."""
    request = exchange.request
    if location is Location.ANSWER:
        found = inside(request.answers.get(name), value_path)
        return None if found is MISSING else found
    if location is Location.JSON:
        found = inside(request.json, value_path)
        return None if found is MISSING else found
    pairs = request.pairs.get(location.value, ())
    return next((value for known, value in pairs if known == name), None)


def unsent_values(exchanges: Sequence[Exchange]) -> list[Unsent]:
    """List the values that handlers looked for and did not find, each with its default."""
    found: list[Unsent] = []
    for index in range(len(exchanges) - 1, -1, -1):
        exchange = exchanges[index]
        for read in exchange.reads:
            if read.present or not read.path or read.location not in READABLE:
                continue
            key, value_path = place_of(read)
            found.append(Unsent(index, exchange.request.endpoint, key, value_path, read.default))
    return found


def place_of(read: Read) -> tuple[tuple[Location, str], tuple[str | int, ...]]:
    """Return the input, and the place in it, that a read looked at."""
    location, name = Location(read.location), str(read.path[0])
    if location is Location.JSON:
        return (location, ""), read.path
    if location is Location.ANSWER:
        return (location, name), read.path[1:]
    return (location, name.title() if location is Location.HEADER else name), ()
