"""Users that functions of the project's tests log in: ``login_as_user(app, "admin")``.

Tests without fixtures use functions that take the application and return a client that is logged
in. The calls in the tests are tried unchanged, the most frequent first. The returned client must
have a session, or headers, that no other user has.
"""

from __future__ import annotations

import contextvars
import importlib
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from werkzeug.test import Client

from pytest_evosearch.sut.finding.project_scan import LoginCall
from pytest_evosearch.sut.finding.project_scan import ParsedTests
from pytest_evosearch.sut.finding.project_scan import find_login_calls
from pytest_evosearch.sut.fixture_texts.expression_text import double_quoted
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.minted_users import MintedUsers
from pytest_evosearch.sut.users.offered_users import user_from

ATTEMPTS = 8
"""Most calls that are tried: each runs code of the project."""

USERS = 3
"""Most users, as for other sources of users."""

LOGGED_IN_CLIENT = '''\
@pytest.fixture
def {fixture}({application}):
    """A client of {name}, who is logged in as in the tests of the project."""
    from {call.module} import {call.function}

    return {expression}
'''


def helper_users(
    app: Any, tests: ParsedTests, folders: Iterable[Path], application: str = "flask_app"
) -> MintedUsers:
    """Return the users of `app` that functions of the project's `tests` log in.

    Only functions in modules from one of `folders` count, which are on the path of the written
    tests. There, the fixture `application` returns the application.
    """
    users: dict[str, User] = {}
    sources: list[str] = []
    functions: dict[str, None] = {}
    reachable = [call for call in find_login_calls(tests) if call.directory in folders]
    for call in reachable[:ATTEMPTS]:
        name = _name_of(call)
        client = None if name in users else _logged_in(app, call)
        if client is None or len(users) == USERS:
            continue
        fixture = f"{name}_client"
        # Logged in each time: a session may be part of the state that is restored before every
        # test.
        users[name] = replace(
            user_from(name, client, fixture),
            login=partial(_log_in, app, call),
            replaces_client=True,
        )
        expression = double_quoted(call.expression(application))
        sources.append(
            LOGGED_IN_CLIENT.format(
                fixture=fixture,
                application=application,
                name=name,
                call=call,
                expression=expression,
            )
        )
        functions[f"{call.module}.{call.function}"] = None
    if not users:
        return MintedUsers({}, ())
    return MintedUsers(users, tuple(sources), f"{', '.join(users)} ({', '.join(functions)})")


def _name_of(call: LoginCall) -> str:
    return re.sub(r"\W+", "_", call.who.lower(), flags=re.ASCII).strip("_") or "user"


def _logged_in(app: Any, call: LoginCall) -> Client | None:
    """Return the client that `call` returns; None when it fails, or returns an ordinary client."""
    with suppress(Exception):  # no user of that name, or a function with other arguments
        client = _called(app, call)
        if isinstance(client, Client) and _is_somebody(app, client):
            return client
    return None


def _log_in(app: Any, call: LoginCall, client: Client) -> None:
    """Give `client` the state of the client that `call` returns now."""
    logged_in = _called(app, call)
    login = user_from(call.who, logged_in).login
    assert login is not None
    login(client)


def _called(app: Any, call: LoginCall) -> Any:
    """Return the result of `call`."""
    function = getattr(importlib.import_module(call.module), call.function)
    names = {call.function: function, "app": app}
    return contextvars.Context().run(eval, call.expression("app"), names)


def _is_somebody(app: Any, client: Any) -> bool:
    """Say whether `client` has a session or headers that a new visitor lacks."""
    visitor = app.test_client()
    contextvars.Context().run(visitor.get, "/")
    if client.environ_base != visitor.environ_base:
        return True
    return bool(_session_names(client) - _session_names(visitor))


def _session_names(client: Any) -> set[str]:
    with client.session_transaction() as session:
        return set(session)
