"""Describes the drivers: where each makes connections, and how it names their parameters.

This table is the only knowledge about single drivers. An entry, called door, is a function through
which every connection of a driver goes, whatever the application calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from collections.abc import Mapping
from importlib import import_module
from pathlib import PurePath
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.database_servers.driver import Arguments
from pytest_evosearch.sut.database_servers.driver import Driver
from pytest_evosearch.sut.database_servers.driver import class_named
from pytest_evosearch.sut.database_servers.driver import hang_up
from pytest_evosearch.sut.database_servers.driver import may_be_in_transaction
from pytest_evosearch.sut.database_servers.driver import without_forms
from pytest_evosearch.sut.database_servers.mysql_drivers import aiomysql_lead
from pytest_evosearch.sut.database_servers.mysql_drivers import aiomysql_own
from pytest_evosearch.sut.database_servers.mysql_drivers import mysql_connector_cursor
from pytest_evosearch.sut.database_servers.mysql_drivers import mysql_connector_own
from pytest_evosearch.sut.database_servers.mysql_drivers import mysql_lead
from pytest_evosearch.sut.database_servers.mysql_drivers import mysql_lead_in_the_clear
from pytest_evosearch.sut.database_servers.mysql_drivers import mysql_own
from pytest_evosearch.sut.database_servers.mysql_drivers import mysql_read
from pytest_evosearch.sut.database_servers.mysql_drivers import pymysql_cursor
from pytest_evosearch.sut.database_servers.own_session import AsynchronousSession
from pytest_evosearch.sut.database_servers.own_session import DriverSession
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.own_session import SimpleSession
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.database_servers.places import REDIS
from pytest_evosearch.sut.database_servers.redis_connections import connect_by_socket
from pytest_evosearch.sut.database_servers.redis_connections import lead_redis
from pytest_evosearch.sut.database_servers.redis_connections import open_redis
from pytest_evosearch.sut.database_servers.redis_connections import read_redis
from pytest_evosearch.sut.database_servers.redis_connections import redis_doors


def _psycopg2_doors(module: ModuleType) -> list[tuple[Any, str]]:
    return [(module, "_connect")]


def _psycopg2_read(arguments: Arguments) -> Mapping[str, Any]:
    parsed: Mapping[str, Any] = import_module("psycopg2.extensions").parse_dsn(arguments[0][0])
    return parsed


def _psycopg2_lead(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    (dsn, *others), named = arguments
    return (import_module("psycopg2.extensions").make_dsn(dsn, **changes), *others), named


def _psycopg2_own(real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    return DriverSession(real(arguments[0][0]))


def _psycopg_doors(module: ModuleType) -> list[tuple[Any, str]]:
    return [(module.Connection, "connect"), (module.AsyncConnection, "connect")]


def _libpq_names() -> set[str]:
    """Return the parameters that libpq knows; others are the driver's own."""
    options = import_module("psycopg").pq.Conninfo.get_defaults()
    return {option.keyword.decode() for option in options}


def _psycopg_read(arguments: Arguments) -> Mapping[str, Any]:
    names = _libpq_names()
    known = {k: v for k, v in arguments[1].items() if k in names}
    spelling = import_module("psycopg.conninfo")
    parsed: Mapping[str, Any] = spelling.conninfo_to_dict(_conninfo(arguments), **known)
    return parsed


def _psycopg_lead(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    positional, named = arguments
    names = _libpq_names()
    known = {k: v for k, v in named.items() if k in names}
    spelling = import_module("psycopg.conninfo")
    text = spelling.make_conninfo(_conninfo(arguments), **{**known, **changes})
    rest = {k: v for k, v in named.items() if k not in (*names, "conninfo")}
    return (positional[0], text), rest


def _psycopg_own(_real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    """Open it with the class that needs no event loop."""
    kind = import_module("psycopg").Connection
    door = vars(kind)["connect"].__func__
    named = {**without_forms(arguments[1]), "autocommit": True}
    named.pop("conninfo", None)
    return DriverSession(getattr(door, "__wrapped__", door)(kind, _conninfo(arguments), **named))


def _conninfo(arguments: Arguments) -> str:
    positional, named = arguments
    return str(positional[1] if len(positional) > 1 else named.get("conninfo", ""))


def _asyncpg_read(arguments: Arguments) -> Mapping[str, Any]:
    named = arguments[1]
    parsed = dict(_parsed_url(named.get("dsn")))
    for name in ("host", "port", "user", "database"):
        value = named.get(name)
        if value:
            parsed["dbname" if name == "database" else name] = _first(value)
    return parsed


def _asyncpg_lead(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    positional, named = arguments
    spelled = {("database" if k == "dbname" else k): v for k, v in changes.items()}
    return positional, {**named, "dsn": None, "ssl": False, **spelled}


def _asyncpg_own(real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    classes = {
        "connection_class": import_module("asyncpg.connection").Connection,
        "record_class": import_module("asyncpg.protocol").Record,
    }
    return AsynchronousSession(
        lambda loop: real(*arguments[0], **{**arguments[1], **classes, "loop": loop})
    )


def _pg8000_named(arguments: Arguments) -> dict[str, Any]:
    door = inspect.signature(class_named("pg8000.core.CoreConnection").__init__)
    named = dict(door.bind(*arguments[0], **arguments[1]).arguments)
    named.pop("self")
    return named


def _pg8000_read(arguments: Arguments) -> Mapping[str, Any]:
    named = _pg8000_named(arguments)
    path = named.get("unix_sock")
    host = str(PurePath(path).parent) if path else named.get("host")
    return {**named, "host": host, "dbname": named.get("database")}


def _pg8000_lead(arguments: Arguments, changes: Mapping[str, Any]) -> Arguments:
    named = _pg8000_named(arguments)
    for name in ("host", "ssl_context", "sock", "source_address"):
        named.pop(name, None)
    path = f"{changes['host']}/.s.PGSQL.{changes['port']}"
    spelled = {"user": changes["user"], "port": changes["port"], "database": changes["dbname"]}
    return arguments[0][:1], {**named, **spelled, "unix_sock": path}


def _pg8000_own(real: Callable[..., Any], arguments: Arguments) -> OwnSession:
    """Open it with the base of all its connections, which speaks the simple protocol."""
    kind = class_named("pg8000.core.CoreConnection")
    connection = kind.__new__(kind)
    real(connection, *arguments[0][1:], **arguments[1])
    return SimpleSession(connection)


def _parsed_url(url: Any) -> Mapping[str, Any]:
    from urllib.parse import unquote
    from urllib.parse import urlsplit

    if not isinstance(url, str):
        return {}
    parts = urlsplit(url)
    found = {
        "host": parts.hostname,
        "port": parts.port,
        "user": unquote(parts.username or ""),
        "dbname": unquote(parts.path.lstrip("/")),
    }
    return {name: value for name, value in found.items() if value}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) else value


def _psycopg_cursor(connection: Any) -> Any:
    return connection.cursor(row_factory=class_named("psycopg.rows.tuple_row"))


def _libpq_in_transaction(connection: Any) -> bool:
    """Say whether libpq's state is 2 or 3: in a transaction that continues, or has failed.

    Both versions of psycopg report it.
    """
    return not connection.closed and int(connection.info.transaction_status) in (2, 3)


def _psycopg_roll_back(connection: Any) -> None:
    if isinstance(connection, class_named("psycopg.AsyncConnection")):
        connection.pgconn.finish()
    else:
        connection.rollback()


DRIVERS = (
    Driver(
        module="psycopg2",
        dialect=POSTGRESQL,
        doors=_psycopg2_doors,
        read=_psycopg2_read,
        lead=_psycopg2_lead,
        open_own=_psycopg2_own,
        in_transaction=_libpq_in_transaction,
        cursors=tuple(
            f"psycopg2.extras.{name}"
            for name in ("DictCursor", "RealDictCursor", "NamedTupleCursor")
        ),
        cursor_factory=lambda: class_named("psycopg2.extensions.cursor"),
        plain_cursor=lambda connection: class_named("psycopg2.extensions.cursor")(connection),
    ),
    Driver(
        module="psycopg",
        dialect=POSTGRESQL,
        doors=_psycopg_doors,
        read=_psycopg_read,
        lead=_psycopg_lead,
        open_own=_psycopg_own,
        alias="connect",
        in_transaction=_libpq_in_transaction,
        roll_back=_psycopg_roll_back,
        cursors=("psycopg.Cursor",),
        plain_cursor=_psycopg_cursor,
    ),
    Driver(
        module="asyncpg.connect_utils",
        dialect=POSTGRESQL,
        doors=lambda module: [(module, "_connect")],
        read=_asyncpg_read,
        lead=_asyncpg_lead,
        in_transaction=lambda connection: bool(
            not connection.is_closed() and connection.is_in_transaction()
        ),
        open_own=_asyncpg_own,
        roll_back=lambda connection: hang_up(connection._transport),
    ),
    Driver(
        module="pg8000.core",
        dialect=POSTGRESQL,
        doors=lambda module: [(module.CoreConnection, "__init__")],
        read=_pg8000_read,
        lead=_pg8000_lead,
        in_transaction=lambda connection: connection._transaction_status in (b"T", b"E"),
        open_own=_pg8000_own,
        initializes=True,
        cursors=("pg8000.dbapi.Cursor",),
        roll_back=lambda connection: connection.execute_simple("ROLLBACK"),
        plain_cursor=lambda connection: class_named("pg8000.dbapi.Cursor")(connection),
        connection_of=lambda cursor: cursor._c,
    ),
    Driver(
        module="pymysql.connections",
        dialect=MYSQL,
        doors=lambda module: [(module.Connection, "__init__")],
        read=mysql_read,
        lead=mysql_lead_in_the_clear,
        in_transaction=may_be_in_transaction,
        open_own=mysql_own,
        initializes=True,
        cursors=("pymysql.cursors.Cursor",),
        plain_cursor=pymysql_cursor,
    ),
    Driver(
        module="aiomysql.connection",
        dialect=MYSQL,
        doors=lambda module: [(module.Connection, "__init__")],
        read=mysql_read,
        lead=aiomysql_lead,
        in_transaction=lambda connection: bool(
            not connection.closed and connection.get_transaction_status()
        ),
        open_own=aiomysql_own,
        initializes=True,
        roll_back=lambda connection: hang_up(connection._writer.transport),
    ),
    Driver(
        module="MySQLdb.connections",
        dialect=MYSQL,
        doors=lambda module: [(module.Connection, "__init__")],
        read=mysql_read,
        lead=mysql_lead,
        in_transaction=may_be_in_transaction,
        open_own=mysql_own,
        initializes=True,
        cursors=("MySQLdb.cursors.BaseCursor",),
        plain_cursor=lambda connection: class_named("MySQLdb.cursors.Cursor")(connection),
    ),
    Driver(
        module="mysql.connector.abstracts",
        dialect=MYSQL,
        doors=lambda module: [(module.MySQLConnectionAbstract, "connect")],
        read=mysql_read,
        lead=mysql_lead_in_the_clear,
        in_transaction=may_be_in_transaction,
        open_own=mysql_connector_own,
        initializes=True,
        cursors=("mysql.connector.cursor.MySQLCursor", "mysql.connector.cursor_cext.CMySQLCursor"),
        plain_cursor=mysql_connector_cursor,
        connection_of=lambda cursor: cursor._connection,
    ),
    *(
        Driver(
            module=module,
            dialect=REDIS,
            doors=redis_doors,
            read=read_redis,
            lead=lead_redis,
            in_transaction=lambda _connection: False,
            open_own=open_redis,
            below=connect_by_socket,
            initializes=True,
            knows_place=True,
        )
        for module in ("redis.connection", "redis.asyncio.connection")
    ),
)
