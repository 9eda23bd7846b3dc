"""Says which database on which server a connection leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

POSTGRESQL = "PostgreSQL"
MYSQL = "MySQL"
REDIS = "Redis"

TABLES = (POSTGRESQL, MYSQL)
"""Kinds of databases that have tables."""

_DEFAULT_PORTS = {POSTGRESQL: 5432, MYSQL: 3306, REDIS: 6379}
_LOCAL = ("", "localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Place:
    """One database on one server; two of them are equal when they are the same one."""

    dialect: str
    host: str
    """A host, or the folder (or file) of a socket."""
    port: int
    database: str

    def __str__(self) -> str:
        return f"{self.host or 'localhost'}:{self.port}/{self.database}"


def place_of(dialect: str, given: Mapping[str, Any]) -> Place:
    """Return the place that parameters of a connection name.

    They are called as libpq calls them; texts and numbers are both good, and what is
    missing has the usual value.
    """
    host = _text(given.get("unix_socket") or given.get("host"))
    port = _text(given.get("port")).split(",")[0] or _DEFAULT_PORTS[dialect]
    user = _text(given.get("user"))
    database = _text(given.get("dbname")) or (user if dialect == POSTGRESQL else "")
    return Place(dialect, "" if host in _LOCAL else host, int(port), database)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
