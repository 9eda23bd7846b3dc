"""Identifies the database and the server of a connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass

POSTGRESQL = "PostgreSQL"
MYSQL = "MySQL"
REDIS = "Redis"

TABLES = (POSTGRESQL, MYSQL)
"""Kinds of database servers that have tables."""

_DEFAULT_PORTS = {POSTGRESQL: 5432, MYSQL: 3306, REDIS: 6379}
_LOCAL = ("", "localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Place:
    """One database on one server; equal for equal databases."""

    dialect: str
    host: str
    """A host, or the folder or file of a socket."""
    port: int
    database: str

    def __str__(self) -> str:
        return f"{self.host or 'localhost'}:{self.port}/{self.database}"


def place_of(dialect: str, given: Mapping[str, Any]) -> Place:
    """Return the place that connection parameters name.

    They have libpq's names. Texts and numbers are accepted; a missing one has its default.
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
