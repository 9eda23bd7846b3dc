"""Finds the kind of database server that an application without an address needs.

Its requirements name the driver. Where a throw-away server can be started, the application gets an
address of this kind. Otherwise it gets SQLite.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.finding.unset_variables import IN_MEMORY
from pytest_evosearch.sut.servers.binaries import mariadb_programs
from pytest_evosearch.sut.servers.binaries import postgresql_folder

_REQUIREMENTS = ("*requirements*.txt", "requirements/*.txt", "pyproject.toml", "setup.*", "Pipfile")

_DRIVERS: tuple[tuple[str, str, str], ...] = (
    ("psycopg2", r"psycopg2(-binary)?", "postgresql+psycopg2:///app"),
    ("psycopg", r"psycopg", "postgresql+psycopg:///app"),
    ("pymysql", r"pymysql", "mysql+pymysql://localhost/app"),
    ("MySQLdb", r"mysqlclient", "mysql+mysqldb://localhost/app"),
    ("mysql", r"mysql-connector-python", "mysql+mysqlconnector://localhost/app"),
)
"""Modules of drivers, their names in requirements, and an address for SQLAlchemy."""

_SERVERS: dict[str, Callable[[], object]] = {
    "postgresql": postgresql_folder,
    "mysql": mariadb_programs,
}


def wanted_address(root: Path) -> str | None:
    """Return an address for an application below `root`, None to use SQLite.

    It is for SQLAlchemy if that is used, otherwise for libpq.
    """
    connections = active_server_connections()
    if connections is None or connections.lead is None:
        return None
    texts = stated_requirements(root)
    for module, requirement, address in _DRIVERS:
        named = re.search(rf"(?<![\w-]){requirement}(?![\w-])", texts, re.IGNORECASE)
        if named and find_spec(module) is not None:
            kind, _, rest = address.partition("+")
            if _SERVERS[kind]() is None:
                continue
            if _uses_sqlalchemy(texts):
                return address
            if module in ("psycopg2", "psycopg"):
                return f"{kind}:{rest.partition(':')[2]}"
    return None


def names_a_server(value: str) -> bool:
    """Say whether a value is the address of a database on a throw-away server."""
    return value.startswith(tuple(_SERVERS)) and ":" in value


def file_address(root: Path) -> str | None:
    """Return an address that needs no server, None where SQLAlchemy is not used."""
    return IN_MEMORY if _uses_sqlalchemy(stated_requirements(root)) else None


def _uses_sqlalchemy(requirements: str) -> bool:
    """Say whether SQLAlchemy was imported, or will be: settings are often read before that."""
    if "sqlalchemy" in sys.modules:
        return True
    return "sqlalchemy" in requirements.lower() and find_spec("sqlalchemy") is not None


def stated_requirements(root: Path) -> str:
    """Return the texts of the files in which a project states what it needs."""
    texts = []
    for pattern in _REQUIREMENTS:
        for path in sorted(root.glob(pattern)):
            with suppress(OSError):
                texts.append(path.read_text(encoding="utf-8", errors="replace").replace("\0", ""))
    return "\n".join(texts)
