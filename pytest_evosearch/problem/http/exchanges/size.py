"""The size of a test, which decides between equally good tests."""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import Link

ROW_CALLS = 3
"""Calls that a row counts for when the test stores it: a row that calls make is better."""

LINK_SIZE = 2
"""Bytes that a link counts for: fewer than most literals, so linked tests win ties."""


def size_of(individual: Individual) -> tuple[int, int]:
    """Return the number of calls and the bytes of input."""
    size, total = len(individual.calls), 0
    for call in individual.calls:
        for given in call.inputs:
            total += _bytes_of(given.gene.value())
            if given.location is Location.ROW:
                size += ROW_CALLS
    return size, total


def rows_of(individual: Individual) -> int:
    """Return how many rows a test stores itself."""
    return sum(given.location is Location.ROW for call in individual for given in call.inputs)


def _bytes_of(value: object) -> int:
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, (int, float)):
        return len(str(value))
    if isinstance(value, Link):
        return LINK_SIZE
    if isinstance(value, dict):
        return sum(len(str(key)) + _bytes_of(item) + 2 for key, item in value.items()) + 1
    if isinstance(value, (list, tuple)):
        return sum(_bytes_of(item) + 1 for item in value) + 1
    return len(str(value))
