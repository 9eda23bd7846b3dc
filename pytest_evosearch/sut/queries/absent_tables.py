"""Tables that a call asks for and a database lacks, also where the application goes on.

A database without the tables of a project answers nothing that a test of the project could mean:
its author has them.  A call that makes the table itself lacks none.
"""

from __future__ import annotations

import re

from pytest_evosearch.core.exception_texts import text_of_exception

_ABSENT = re.compile(
    r"no such table: ([\w.]+)|relation \"?([\w.]+)\"? does not exist|Table '([^']+)' doesn't exist"
)
"""How SQLite, PostgreSQL and MySQL name a table that is not there."""

_MAKES = re.compile(r"\s*create\s", re.IGNORECASE)


class AbsentTables:
    """Notes what a database lacks, from call to call."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}

    def begin(self) -> None:
        """Forget what the last call asked for."""
        self._names.clear()

    def note(self, error: Exception) -> None:
        """Note the failure of a statement."""
        found = _ABSENT.search(text_of_exception(error))
        if found is not None:
            self._names[next(filter(None, found.groups()))] = None

    def note_statement(self, statement: object) -> None:
        """Forget what was absent before the application makes tables."""
        if self._names and isinstance(statement, str) and _MAKES.match(statement):
            self._names.clear()

    def take(self) -> tuple[str, ...]:
        """Return the names of the tables that the call has asked for."""
        return tuple(self._names)
