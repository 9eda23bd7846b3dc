"""Finds values that occur in several places of a test, to simplify them together."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

Place = tuple[int, int, Path]
"""Index of the call, index of its input, path of the gene in it."""


def shared_values(individual: Individual) -> list[object]:
    """Return the texts and numbers that two or more inputs hold, in order of appearance."""
    places: dict[str, list[object]] = {}
    for value in values_of(individual):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            places.setdefault(repr(value), []).append(value)
    return [found[0] for found in places.values() if len(found) > 1]


def values_of(calls: Iterable[Call]) -> Iterator[object]:
    """Yield the texts and numbers that calls hold."""
    for call in calls:
        for given in call.inputs:
            for _, _, gene in leaves(given.gene):
                yield gene.value()


def holders(individual: Individual, value: object) -> list[tuple[Place, Gene]]:
    """Return the places of a value in a test, with the genes that hold it."""
    return [
        ((index, place, path), gene)
        for index, call in enumerate(individual)
        for place, given in enumerate(call.inputs)
        for _, path, gene in leaves(given.gene)
        if type(gene.value()) is type(value) and repr(gene.value()) == repr(value)
    ]


def with_gene(individual: Individual, place: Place, gene: Gene) -> Individual:
    """Return a test with another gene at one place."""
    index, position, path = place
    call = individual.calls[index]
    given = call.inputs[position]
    changed = replace(given, gene=replaced(given.gene, path, gene))
    inputs = (*call.inputs[:position], changed, *call.inputs[position + 1 :])
    return individual.with_call(index, replace(call, inputs=inputs))
