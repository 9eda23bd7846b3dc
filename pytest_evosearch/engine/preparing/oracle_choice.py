"""Chooses the oracles of a run and gives them what they may know about the application."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_evosearch.oracles.leaks import secrets_of
from pytest_evosearch.oracles.named_oracles import make_oracles
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.response_schema import ResponseSchemaOracle
from pytest_evosearch.oracles.schema_dialect import is_available
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.oracle_specs import expanded
from pytest_evosearch.settings.oracle_specs import look_inside
from pytest_evosearch.sut.watching.side_effects import Witness
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections


def choose_oracles(
    settings: Settings,
    app: Any,
    endpoints: Iterable[Endpoint],
    document: Mapping[str, object] | None,
    notices: list[str],
    forged: Mapping[str, str],
) -> tuple[AnyOracle, ...]:
    """Return the oracles of the settings; a missing library adds a notice.

    `forged` contains the tokens that are forged during the run.
    """
    endpoints = list(endpoints)
    responses = {endpoint.key: endpoint.responses for endpoint in endpoints if endpoint.responses}
    operations = {endpoint.key: endpoint.operation for endpoint in endpoints if endpoint.operation}
    if (
        responses
        and ResponseSchemaOracle.code in expanded(settings.search.oracles)
        and not is_available()
    ):
        notices.append(
            "responses are not compared with the OpenAPI document:  "
            "install pytest-evosearch[schema], or jsonschema"
        )
    fields = {endpoint.key: endpoint.fields for endpoint in endpoints if endpoint.fields}
    secrets = secrets_of(dict(getattr(app, "config", {})))
    knowledge = Knowledge(responses, operations, fields, document or {}, secrets, forged)
    return make_oracles(settings.search.oracles, knowledge)


def choose_witness(names: Sequence[str], connections: SqliteConnections) -> Witness | None:
    """Return what looks inside the process; None if no oracle needs it."""
    return Witness(connections) if look_inside(expanded(names)) else None
