"""The values that the calls of a test sent."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.write.content.specimen import Specimen


def input_values(exchange: Exchange) -> Iterator[object]:
    """Yield the scalar values of a request in order."""
    request = exchange.request
    for value in request.path.values():
        yield value
    for _name, value in (*request.query, *request.form, *request.headers):
        yield value
    yield from _scalars(request.payload)


def sent_scalars(exchange: Exchange) -> Iterator[object]:
    """Yield the scalar values of a request's body."""
    for _name, value in exchange.request.form:
        yield value
    yield from _scalars(exchange.request.payload)


def sent_values(specimen: Specimen, index: int) -> Iterator[object]:
    """Yield the values of the call `index`, then those of earlier calls."""
    for exchange in reversed(specimen.steps[: index + 1]):
        yield from input_values(exchange)


def _scalars(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for element in value.values():
            yield from _scalars(element)
    elif isinstance(value, (list, tuple)):
        for element in value:
            yield from _scalars(element)
    elif value is not None:
        yield value
