"""Sees connections of redis-py, redirects them to another server, and opens sessions of our own."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

_LED = "_evosearch_socket"
"""Attribute of a redirected connection: the socket of the throw-away server."""

Replacement = tuple[Any, str, Any]


class RedisSession:
    """Sends commands on its own connection of redis-py."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, *command: Any) -> Any:
        """Send one command, and return the reply."""
        self._connection.send_command(*command)
        return self._connection.read_response()

    def close(self) -> None:
        """Close the connection."""
        self._connection.disconnect()


def read_redis(arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Mapping[str, Any]:
    """Return where a connection leads; all databases of a server count as one."""
    connection = arguments[0][0]
    host = getattr(connection, _LED, None) or getattr(connection, "host", None)
    return {
        "host": host or getattr(connection, "path", ""),
        "port": getattr(connection, "port", 0) or 6379,
        "dbname": "all",
    }


def lead_redis(
    arguments: tuple[tuple[Any, ...], dict[str, Any]], changes: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Redirect a connection to the socket of a throw-away server, which has no passwords."""
    connection = arguments[0][0]
    setattr(connection, _LED, changes["host"])
    connection.username = connection.password = connection.credential_provider = None
    return arguments


def open_redis(_real: Callable[..., Any], arguments: tuple[tuple[Any, ...], Any]) -> Any:
    """Open a session of ours to the server of an application's connection."""
    module = import_module("redis.connection")
    seen = arguments[0][0]
    known = {"username": seen.username, "password": seen.password, "protocol": 2}
    path = getattr(seen, _LED, None) or getattr(seen, "path", None)
    if path:
        own = module.UnixDomainSocketConnection(path=path, **known)
    else:
        is_secret = "SSL" in type(seen).__name__
        kind = module.SSLConnection if is_secret else module.Connection
        own = kind(host=seen.host, port=seen.port, **known)
    own.connect()
    return RedisSession(own)


def redis_doors(module: ModuleType) -> list[tuple[Any, str]]:
    """Return the functions that make connections of a module, below retries and handshakes."""
    names = ("Connection", "SSLConnection", "UnixDomainSocketConnection")
    kinds = [getattr(module, name, None) for name in names]
    return [(kind, "_connect") for kind in kinds if "_connect" in vars(kind or object)]


def connect_by_socket(module: ModuleType) -> list[Replacement]:
    """Return the replacements that let redirected connections open their socket."""
    return [(kind, name, _by_socket(vars(kind)[name])) for kind, name in redis_doors(module)]


def _by_socket(real: Any) -> Any:
    if inspect.iscoroutinefunction(real):
        import asyncio  # here the application has loaded it

        async def connect_soon(self: Any) -> Any:
            path = getattr(self, _LED, None)
            if path is None:
                return await real(self)
            self._reader, self._writer = await asyncio.open_unix_connection(path)
            if _shakes_hands(real):
                await self.on_connect()
            return None

        return connect_soon

    def connect(self: Any) -> Any:
        path = getattr(self, _LED, None)
        if path is None:
            return real(self)
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.settimeout(self.socket_connect_timeout)
        opened.connect(path)
        opened.settimeout(self.socket_timeout)
        return opened

    return connect


def _shakes_hands(real: Any) -> bool:
    """Say whether connections shake hands themselves; in most versions all kinds share the code."""
    return "on_connect" in real.__code__.co_names
