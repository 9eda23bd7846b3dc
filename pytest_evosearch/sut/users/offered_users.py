"""Turns a project's own log-ins into `User` values."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from itsdangerous import BadData
from werkzeug.test import Client

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.clients.session_cookies import serializer_of
from pytest_evosearch.sut.handle import User

USERS_FIXTURE = "evosearch_users"
"""The fixture in which a project lists its users."""


def users_from(
    mapping: Mapping[str, object],
    fixture: str | None = USERS_FIXTURE,
    client_fixture: str = "client",
) -> dict[str, User]:
    """Convert a mapping of names to headers, ``(user, password)``, or functions of a client."""
    return {
        name: user_from(name, value, fixture, name, client_fixture)
        for name, value in mapping.items()
    }


def user_from(
    name: str,
    value: object,
    fixture: str | None = None,
    key: str | None = None,
    client_fixture: str = "client",
) -> User:
    """Convert one value into a user called `name`.

    `value` is a mapping of headers, a token as text, or a pair of user name and password (HTTP
    Basic). It may also be a function that logs a given client in, an object with a ``login()``
    method, or a client that is logged in. `fixture` provides it for a written test, and `key` is
    its key when the fixture is a mapping of users. Raise `InvalidSetting` for anything else.
    """
    source = f"{fixture}[{_quoted(key)}]" if fixture and key is not None else fixture
    fixtures = (fixture,) if fixture else ()
    if isinstance(value, Mapping):
        headers = {str(header): str(text) for header, text in value.items()}
        return User(name, headers, fixtures=fixtures, headers_expression=source)
    if isinstance(value, str) and key is None:
        header = {"Authorization": f"Bearer {value}"}
        expression = f'{{"Authorization": f"Bearer {{{source}}}"}}' if source else None
        return User(name, header, fixtures=fixtures, headers_expression=expression)
    if isinstance(value, Client):
        login = _becoming(value)
        if key is None:
            return User(name, login=login, fixtures=fixtures, client=source)
        statement = f"{client_fixture} = {source}" if source else None
        return User(name, login=login, fixtures=fixtures, statement=statement)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return User(name, basic_authorization(*map(str, value)))
    if hasattr(value, "login") and callable(value.login):
        statement = f"{source}.login()" if source else None
        return User(name, login=_login_of(value), fixtures=fixtures, statement=statement)
    if callable(value):
        statement = f"{source}({client_fixture})" if source else None
        return User(name, login=value, fixtures=fixtures, statement=statement)
    raise InvalidSetting(
        f"user {name!r} is a {type(value).__name__}: give a dict of headers, a pair "
        "(user, password), or a function that logs a client in"
    )


def basic_authorization(user: str, password: str) -> dict[str, str]:
    """Return the header of HTTP Basic authentication (RFC 7617)."""
    token = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    return {"Authorization": f"Basic {token}"}


def _login_of(actions: Any) -> Callable[[Any], object]:
    """Return a function that logs a given client in through `actions`.

    The tutorial's ``AuthActions`` keeps the client of its own fixture in an attribute, which holds
    the given client during the log-in.
    """

    def login(client: Any) -> object:
        kept = [
            (attribute, held)
            for attribute, held in vars(actions).items()
            if isinstance(held, Client)
        ]
        for attribute, _ in kept:
            setattr(actions, attribute, client)
        try:
            return actions.login()
        finally:
            for attribute, held in kept:
                setattr(actions, attribute, held)

    return login


def _becoming(logged_in: Client) -> Callable[[Any], object]:
    """Return a function that gives a client the present state of `logged_in`."""
    template = copy.copy(logged_in)
    for name in ("_cookies", "environ_base"):
        if isinstance(vars(template).get(name), dict):
            setattr(template, name, dict(vars(template)[name]))

    def become(client: Any) -> None:
        client.__class__ = type(template)
        for name, value in vars(template).items():
            setattr(client, name, dict(value) if name in ("_cookies", "environ_base") else value)
        _renew_session(client)

    return become


def _renew_session(client: Any) -> None:
    """Sign the session of `client` with the present time, as a log-in would.

    Sessions of Flask expire; a test that logs in itself never sees an old one.
    """
    app: Any = getattr(client, "application", None)
    serializer = serializer_of(app)
    if serializer is None:
        return
    cookies = vars(client).get("_cookies") or {}
    for key, cookie in cookies.items():
        if cookie.key == app.config["SESSION_COOKIE_NAME"]:
            with suppress(BadData):
                renewed = copy.copy(cookie)
                renewed.value = serializer.dumps(serializer.loads(cookie.value))
                cookies[key] = renewed


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
