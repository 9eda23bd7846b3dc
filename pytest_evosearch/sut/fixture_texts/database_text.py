"""Writes fixtures that restore databases which the project's fixtures fill for many tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass

IMPORTING = ("import ", "from ")
"""Beginnings of an import."""

_APPLICATION = re.compile(r"\bapp\.")

_FIXTURE = '''
@pytest.fixture(autouse=True)
def {name}({fixtures}):
    """Restore the database after each test, because several tests share it."""
{opening}
    with closing(sqlite3.connect(":memory:")) as kept:
        connection.commit()  # a copy waits for a transaction that is open
        connection.backup(kept)

        yield

        connection.rollback()
        kept.backup(connection)
'''


@dataclass(frozen=True)
class LastingDatabase:
    """One SQLite database, and how a fixture opens it."""

    opening: tuple[str, ...]
    """Statements that assign ``connection``; they can use ``app``."""
    closing: str = ""
    """Statement that closes it; empty where the application owns the connection."""
    imports: tuple[str, ...] = ()
    """Imports from the standard library, in addition to those of every database fixture."""
    outlives_fixtures: bool = False
    """Whether it lives as long as the process, whatever the scope of the project's fixtures."""
    was_changed: bool = False
    """Whether the search saw calls change SQLite databases: tests restore them from the start."""


def uses_application(lines: Iterable[str]) -> bool:
    """Say whether statements use ``app``, the application."""
    return any(_APPLICATION.search(line) for line in lines if not line.startswith(IMPORTING))


def database_fixture(
    databases: Sequence[LastingDatabase], client: str, fixtures: Sequence[str]
) -> tuple[list[str], str]:
    """Return imports and source of fixtures that restore `databases` after each test.

    `client` is the fixture of the test client. `fixtures` are those to set up before.
    """
    imports = {"import sqlite3", "from contextlib import closing"}
    sources = []
    for number, database in enumerate(databases, start=1):
        imports |= {*database.imports}
        lines = list(database.opening)
        if uses_application(lines):
            lines.insert(0, f"app = {client}.application")
        source = _FIXTURE.format(
            name="restored_database" + (f"_{number}" if number > 1 else ""),
            fixtures=", ".join(fixtures),
            opening="\n".join(f"    {line}" if line else "" for line in lines),
        )
        sources.append(source + (f"    {database.closing}\n" if database.closing else ""))
    ordered = sorted(imports, key=lambda line: (line.startswith("from"), line))
    return ordered, "\n".join(sources)
