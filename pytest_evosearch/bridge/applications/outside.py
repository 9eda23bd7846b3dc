"""A running server instead of an application: nothing is loaded, and no state is restored.

This module is imported only for a server, because other searches do not need ``requests``.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack

from pytest_evosearch.bridge.applications.fixtures import RESET_FIXTURE
from pytest_evosearch.bridge.applications.given_fixtures import GivenFixtures
from pytest_evosearch.report.terminal_lines import finding_with_origin
from pytest_evosearch.sut.clients.running_server import RunningServer
from pytest_evosearch.sut.clients.running_server import check_host
from pytest_evosearch.sut.clients.running_server import stand_in
from pytest_evosearch.sut.clients.server_client import conftest_of_server
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User

UNRESTORED = (
    "nothing restores the state of the server: changes by the search stay there, and only tests "
    "that pass repeatedly are kept (a fixture evosearch_reset can restore the state)"
)
"""The notice of a search that leaves changes on the server."""


def reached_server(url: str, allowed: Sequence[str], resources: ExitStack) -> RunningServer:
    """Return the server at `url`.

    Raise `EvosearchUsageError` when its host is not allowed, or when it does not respond.  Closing
    `resources` closes its connections.
    """
    check_host(url, allowed)
    server = RunningServer(url)
    resources.callback(server.close)
    server.check()
    return server


def handle_of_server(
    server: RunningServer, given: GivenFixtures, users: Mapping[str, User], *, resets: bool
) -> AppHandle:
    """Return the handle of a server; `resets` says that the project restores its state."""
    reset = RESET_FIXTURE if given.has(RESET_FIXTURE) else None
    conftest = conftest_of_server(server.url, reset)
    findings = {
        "app": finding_with_origin(server.url, "--evosearch-url: its data will change"),
        "client": "requests",
        "state": "brought back by the project" if resets else "not brought back",
    }
    if users:
        findings["auth"] = ", ".join(users)
    return AppHandle(
        app=stand_in(),
        description=server.url,
        make_client=server.make_client,
        users=users,
        support=Support(directory=given.directory, conftest=conftest),
        outside=True,
        absence=server.absence,
        unrestored="" if resets else UNRESTORED,
        findings=findings,
    )
