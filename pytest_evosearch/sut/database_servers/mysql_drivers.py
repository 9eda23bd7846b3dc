"""How drivers of MySQL and MariaDB name their parameters, and how they open our own session."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from pytest_evosearch.sut.database_servers.driver import Arguments
from pytest_evosearch.sut.database_servers.driver import class_named
from pytest_evosearch.sut.database_servers.driver import without_forms
from pytest_evosearch.sut.database_servers.own_session import DriverSession
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.queries.row_nearness import RowsUnavailableError

_MYSQL_POSITIONS = ("host", "user", "password", "database", "port")
_ALSO_OF_PYMYSQL = (*_MYSQL_POSITIONS, "unix_socket", "ssl", "charset", "read_default_file")
"""What the keeper's own session takes over from aiomysql: what says how its transactions are
committed (``autocommit``, ``init_command``) is the application's alone."""
_MYSQL_ALIASES = {"db": "database", "passwd": "password", "username": "user"}


def mysql_read(arguments: Arguments) -> Mapping[str, Any]:
    """Return the parameters under libpq's names."""
    named = _mysql_named(arguments)
    return {("dbname" if k == "database" else k): v for k, v in named.items()}


def mysql_lead(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    """Return the arguments of a connection to another server, over a socket."""
    named = _mysql_named(arguments)
    for name in ("host", "port", "ssl", "ssl_ca", "ssl_cert", "ssl_key", "read_default_file"):
        named.pop(name, None)
    spelled = {("database" if k == "dbname" else k): v for k, v in changes.items()}
    named.update({k: v for k, v in spelled.items() if k not in ("host", "port")})
    named["unix_socket"] = changes["host"]
    return arguments[0][:1], named


def mysql_lead_in_the_clear(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    """Omit TLS: its context takes 50 to 110 ms for each connection."""
    positional, named = mysql_lead(arguments, changes)
    return positional, {**named, "ssl_disabled": True}


def aiomysql_lead(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    """Return the same for aiomysql, without TLS."""
    positional, named = mysql_lead(arguments, changes)
    named["db"] = named.pop("database", "")
    return positional, {**named, "ssl": None}


def aiomysql_own(_real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    """Open it with PyMySQL, the base of aiomysql, which needs no event loop."""
    kind = class_named("pymysql.connections.Connection")
    connection = kind.__new__(kind)
    door = kind.__init__
    named = _mysql_named(arguments)
    known = {name: named[name] for name in _ALSO_OF_PYMYSQL if name in named}
    getattr(door, "__wrapped__", door)(connection, **known)
    return DriverSession(connection)


def mysql_own(real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    """Open our own session with the class of the application's connection."""
    kind: Any = type(arguments[0][0])
    connection = kind.__new__(kind)
    real(connection, *arguments[0][1:], **without_forms(arguments[1]))
    return DriverSession(connection)


def mysql_connector_own(real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    """Open our own session with the class of the application's connection."""
    connection = type(arguments[0][0])()
    real(connection, *arguments[0][1:], **without_forms(arguments[1]))
    return DriverSession(connection)


def pymysql_cursor(connection: Any) -> Any:
    """Open a cursor, unless rows of another one are still arriving."""
    if getattr(connection._result, "unbuffered_active", False):
        raise RowsUnavailableError
    return class_named("pymysql.cursors.Cursor")(connection)


def mysql_connector_cursor(connection: Any) -> Any:
    """Open a cursor that reads tuples at once, unless rows of another one are still arriving."""
    if connection.unread_result:
        raise RowsUnavailableError
    return connection.cursor(buffered=True, dictionary=False)


def _mysql_named(arguments: Arguments) -> dict[str, Any]:
    (_connection, *positional), named = arguments
    given = {**dict(zip(_MYSQL_POSITIONS, positional, strict=False)), **named}
    return {_MYSQL_ALIASES.get(name, name): value for name, value in given.items()}
