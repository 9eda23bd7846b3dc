"""The rows of the outcome about the endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.report.outcome import EndpointRow

NOTHING: Mapping[str, Any] = MappingProxyType({})


def endpoint_rows(
    ready: Prepared,
    statuses: Mapping[str, Mapping[int, int]] = NOTHING,
    calls: Mapping[str, int] = NOTHING,
) -> tuple[EndpointRow, ...]:
    """Return a row for each endpoint, with what was learnt about it so far."""
    return tuple(
        EndpointRow(
            endpoint.key,
            tuple(sorted(statuses.get(endpoint.key, ()))),
            calls.get(endpoint.key, 0),
            len(ready.problem.known.model.endpoint(endpoint.key).parameters),
            _parameter_names(ready.problem.known.model.endpoint(endpoint.key)),
            dict(sorted(statuses.get(endpoint.key, {}).items())),
        )
        for endpoint in ready.endpoints
    )


def _parameter_names(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the names of the parameters; a body without a name has the name of its location."""
    return tuple(parameter.name or parameter.location.value for parameter in endpoint.parameters)
