"""Finds database servers in an application's configuration: which to replace, which to refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.servers import mongo_in_memory

_SERVER = re.compile(
    r"^(?P<dialect>postgres(?:ql)?|mysql|mariadb|mssql|oracle|cockroachdb|mongodb|db2)"
    r"(?:\+(?P<driver>[\w]+))?://(?:[^@/]*@)?(?P<place>[^?\s]*)",
    re.IGNORECASE,
)
MONGODB = "mongodb"

_PLAYED = {
    "postgres": (
        POSTGRESQL,
        ("", "psycopg", "psycopg2", "psycopg_async", "psycopg2binary", "asyncpg", "pg8000"),
    ),
    "mysql": (MYSQL, ("", "pymysql", "aiomysql", "mysqldb", "mysqlconnector")),
}
"""Kinds with throw-away servers -> the drivers that can be redirected to them."""

_FOR_TESTS = re.compile(r"(?:^|[^a-z])test", re.IGNORECASE)


def refuse_server_databases(app: Any, *, allow: bool) -> None:
    """Raise `EvosearchUsageError` when `app` is configured for a server that is not for tests.

    A database is for tests when a word of its name begins with "test". Connections to the databases
    of `configured_places` are redirected.
    """
    if allow:
        return
    for key, url in _texts(app.config):
        match = _SERVER.match(url)
        if (
            match is None
            or _played(match) is not None
            or (_is_mongo(match) and mongo_in_memory.is_installed())
            or _FOR_TESTS.search(match["place"].rpartition("/")[2])
        ):
            continue
        advice = f"; {mongo_in_memory.ADVICE}" if _is_mongo(match) else ""
        raise EvosearchUsageError(
            f"config[{key!r}] names a {match['dialect'].lower()} database ({match['place']}), "
            f"which a search would change{advice}: configure one for tests, or "
            "allow it with --evosearch-allow-db"
        )


def _is_mongo(match: re.Match[str]) -> bool:
    return match["dialect"].lower() == MONGODB


def configured_places(app: Any) -> Iterator[Place]:
    """Yield the configured databases of `app` on servers that a throw-away one can replace."""
    for _key, url in _texts(app.config):
        match = _SERVER.match(url)
        dialect = _played(match) if match is not None else None
        if match is not None and dialect is not None:
            server, _, database = match["place"].partition("/")
            host, _, port = server.partition(":")
            yield Place(dialect, host, int(port) if port.isdigit() else 0, database)


def server_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that name a replaceable server, without its user and password.

    With these values, the written tests use the kind of database that the search used.
    """
    found = {}
    for name, url in environment.items():
        match = _SERVER.match(url)
        kind = _played(match) if match is not None else None
        if match is not None and kind is not None:
            scheme = url.partition(":")[0]
            database = match["place"].rpartition("/")[2]
            host = "localhost" if kind == MYSQL else ""
            if match["driver"] == "pg8000":  # it demands a user
                host = "tests@localhost"
            found[name] = f"{scheme}://{host}/{database}"
    return found


def _played(match: re.Match[str]) -> str | None:
    """Return the kind of a server that a throw-away one can replace, or None."""
    name = match["dialect"].lower()
    key = "postgres" if name.startswith("postgres") else "mysql" if name == "mariadb" else name
    kind, drivers = _PLAYED.get(key, (None, ()))
    return kind if (match["driver"] or "").lower() in drivers else None


def _texts(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a configuration; a proxy says that it is a text, and is none."""
    for key, value in config.items():
        if issubclass(type(value), str):
            yield str(key), value
        elif isinstance(value, Mapping):
            for inner, text in value.items():
                if issubclass(type(text), str):
                    yield f"{key}.{inner}", text
        elif type(value).__module__.startswith("sqlalchemy."):
            yield str(key), str(value)
