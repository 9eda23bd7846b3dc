"""Connects GraphQL: its operations become endpoints, and failing resolvers are watched."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from types import ModuleType

from pytest_evosearch.execution.crash import SourceName
from pytest_evosearch.execution.visiting import CarefulVisit
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.http.descriptions.graphql_schema import operations_of
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.documents.graphql_schemas import graphql_addresses
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.users.undone_visits import undone_visits
from pytest_evosearch.sut.watching.resolver_failures import ResolverWatch

LONGEST_LOOK = 10.0
"""Seconds for one introspection: it may be the first request of all, and take long."""


def graphql_operations(
    handle: AppHandle,
    recording: Recording | None,
    endpoints: Iterable[Endpoint],
    modules: Iterable[ModuleType],
) -> tuple[list[Endpoint], list[str]]:
    """Return the operations of all GraphQL schemas, and where they were found.

    `modules` are the application's own: changes in them by these requests are undone.
    """
    visit, client = CarefulVisit(recording, LONGEST_LOOK), handle.make_client()

    def ask(**arguments: object) -> RawResponse:
        with undone_visits(handle.app, visit, modules) as undone:
            answer: RawResponse | None = undone(send, client, **arguments)
        return answer or RawResponse()

    addresses = graphql_addresses(handle.app, ask)
    known = {one.key: one for one in endpoints}
    operations: list[Endpoint] = []
    places = []
    for address in addresses:
        plain = Endpoint("POST", address.path, name="graphql")
        found = operations_of(address.schema, known.get(plain.key, plain))
        operations += found
        places.append(f"GraphQL at {address.path} ({len(found)} operations)")
    return operations, places


def listening_to_resolvers(
    stack: ExitStack, handle: AppHandle, endpoints: Iterable[Endpoint], source_name: SourceName
) -> ResolverWatch | None:
    """Install a watch for failing resolvers, if this process has any."""
    if handle.outside or not any(operation_of(one.template) for one in endpoints):
        return None
    watch = ResolverWatch(handle.app, lambda filename: source_name(filename) is not None)
    stack.enter_context(watch.installed())
    return watch
