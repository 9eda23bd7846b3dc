"""The values that the calls of a test sent."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.json_places import scalars_in
from pytest_evosearch.write.content.specimen import Specimen


def input_values(exchange: Exchange) -> Iterator[object]:
    """Yield the scalar values of a request in order."""
    request = exchange.request
    yield from request.path.values()
    yield from (value for _name, value in (*request.query, *request.form, *request.headers))
    yield from _scalars(request.payload)


def sent_scalars(exchange: Exchange) -> Iterator[object]:
    """Yield the scalar values of a request's body."""
    yield from (value for _name, value in exchange.request.form)
    yield from _scalars(exchange.request.payload)


def sent_values(specimen: Specimen, index: int) -> Iterator[object]:
    """Yield the values of the call `index`, then those of earlier calls."""
    for exchange in reversed(specimen.steps[: index + 1]):
        yield from input_values(exchange)


def _scalars(document: object) -> Iterator[object]:
    return (value for value in scalars_in(document) if value is not None)
