"""Test clients of a project, recognised by type and copied without importing Werkzeug."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any


def is_client(value: object) -> bool:
    """Say whether `value` is a Werkzeug or Flask test client."""
    return _descends_from(value, "werkzeug.test", "Client")


def is_application(value: object) -> bool:
    """Say whether `value` is a Flask application."""
    return _descends_from(value, "flask.app", "Flask")


def is_connexion(value: object) -> bool:
    """Say whether `value` is a Connexion 3 application with a Flask application inside."""
    return _descends_from(value, "connexion.apps.flask", "FlaskApp")


def asks_connexion(value: object) -> bool:
    """Say whether `value` is Connexion's own client, which is Starlette's."""
    is_starlette = _descends_from(value, "starlette.testclient", "TestClient")
    return is_starlette and is_connexion(getattr(value, "app", None))


def connexion_of(value: Any) -> Any:
    """Return the Connexion application that a fixture's value is, or that its client uses.

    Return None for any other value.
    """
    if asks_connexion(value):
        return value.app
    return value if is_connexion(value) else None


def _descends_from(value: object, module: str, name: str) -> bool:
    """Check the type by its name: without Flask loaded, no value is of Flask."""
    if isinstance(value, type):
        return False
    return any(base.__name__ == name and base.__module__ == module for base in type(value).__mro__)


def preserves_contexts(client: Any) -> bool:
    """Say whether a Flask client keeps the context of its last request, as in a ``with`` block."""
    return bool(getattr(client, "preserve_context", False))


def client_factory(client: Any) -> Callable[[], Any]:
    """Return a function that makes clients like `client`, as it is now.

    A fixture may have chosen a class, set default headers or logged a user in.  A client made from
    the application would not have these.
    """
    template = copy_client(client)
    return lambda: copy_client(template)


def copy_client(client: Any) -> Any:
    """Return an independent client with the same class, defaults and cookies."""
    fresh = copy.copy(client)
    attributes = vars(fresh)
    if attributes.get("_cookies") is not None:
        fresh._cookies = dict(client._cookies)
    if attributes.get("cookie_jar") is not None:  # Werkzeug before 2.3
        fresh.cookie_jar = _copy_jar(client.cookie_jar)
    if "environ_base" in attributes:
        fresh.environ_base = dict(client.environ_base)
    if "_context_stack" in attributes:
        fresh.preserve_context = False
        fresh._context_stack = ExitStack()
        fresh._new_contexts = []
    return fresh


def makes_only_a_client(source: str) -> bool:
    """Say whether the function in `source` calls ``test_client()`` and does nothing else."""
    try:
        (function,) = ast.parse(textwrap.dedent(source)).body
    except (SyntaxError, ValueError):
        return False
    body = [node for part in getattr(function, "body", ()) for node in ast.walk(part)]
    called = [node.func for node in body if isinstance(node, ast.Call)]
    changed = [
        node for node in body if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
    ]
    return (
        bool(called)
        and all(isinstance(one, ast.Attribute) and one.attr == "test_client" for one in called)
        and all(isinstance(one, ast.Name) for one in changed)
    )


def cookies_of(client: Any) -> dict[tuple[str, ...], str]:
    """Return the cookies of a client: domain, path and name -> value."""
    if (held := vars(client).get("_cookies")) is not None:
        return {key: cookie.value for key, cookie in held.items()}
    jar = vars(client).get("cookie_jar") or ()  # Werkzeug before 2.3
    return {(cookie.domain, cookie.path, cookie.name): cookie.value for cookie in jar}


def take_cookies(client: Any, other: Any) -> None:
    """Give a client the cookies of `other`, its copy that is no longer needed."""
    for name in ("_cookies", "cookie_jar"):
        if name in vars(other):
            setattr(client, name, vars(other)[name])


def _copy_jar(jar: Any) -> Any:
    fresh = type(jar)()
    for cookie in jar:
        fresh.set_cookie(copy.copy(cookie))
    return fresh
