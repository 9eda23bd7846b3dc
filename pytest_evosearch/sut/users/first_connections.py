"""Finds the database servers of an application that only connects in its handlers.

A throw-away server must exist before the process is forked (`execution.forked`), and a database
before the state is kept. So this module sends some requests, and notes and refuses each connection
that they open. Nothing is read or written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import make_client
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.drivers import DRIVERS
from pytest_evosearch.sut.users.undone_visits import undone_visits

MOST_REQUESTS = 15

_PARAMETER = re.compile(r"<(?:(\w+)[^:<>]*:)?[^<>]*>")
_METHODS = ("GET", "POST")


def note_first_connections(app: Any, visit: Visit, modules: Iterable[ModuleType]) -> None:
    """Send requests until one opens a connection to a server; leave no trace of them."""
    connections = active_server_connections()
    if connections is None or connections.lead is None or connections.databases:
        return
    if not any(driver.module in sys.modules for driver in DRIVERS):
        return
    refused: list[Callable[[], object]] = []
    with undone_visits(app, visit, modules) as undone:
        connections.refused = refused
        try:
            for arguments in islice(_requests(app), MOST_REQUESTS):
                undone(send, make_client(app), passing=(), **arguments)
                if refused:
                    break
        finally:
            connections.refused = None
    for see in refused:  # here, since a server ends with the thread that started it
        with suppress(ConnectionRefusedError):  # of Redis, as each later connection
            see()


def _requests(app: Any) -> Iterator[dict[str, Any]]:
    """Yield the arguments of requests, those with the fewest effects first."""
    for method in _METHODS:
        body: dict[str, Any] = {} if method == "GET" else {"json": {}}
        for rule in app.url_map.iter_rules():
            if method in (rule.methods or ()) and rule.endpoint != "static":
                yield {"method": method, "path": _PARAMETER.sub(_value_for, rule.rule), **body}


def _value_for(parameter: re.Match[str]) -> str:
    return "00000000-0000-4000-8000-000000000000" if parameter[1] == "uuid" else "1"
