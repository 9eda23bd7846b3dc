"""How a test puts rows into tables: what it imports and opens, how it adds rows, how it ends.

`sut.rows` finds a store.  Each row travels with the store that took it, and
`write.content.arranged_rows` writes the store as text.  ``{client}`` in its texts stands for the
client of the test.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from datetime import datetime
from datetime import time
from datetime import timedelta
from decimal import Decimal
from typing import Any
from typing import NamedTuple
from uuid import UUID

from pytest_evosearch.core.quick_dataclasses import dataclass

ADD = "add"
"""``session.add(Item(name="a"))``"""

CREATE = "create"
"""``Item.create(name="a")``"""

STATEMENT = "statement"
"""``connection.execute("INSERT INTO item (name) VALUES (?)", ("a",))``"""

IN_APPLICATION = "{client}.application.app_context()"


class Constructor(NamedTuple):
    """How a test spells a value for which Python has no literal."""

    module: str
    call: str
    """The function or class that takes the text."""
    keyword: str = ""
    """The argument that takes a number; empty where the text is taken."""

    @property
    def imported(self) -> str:
        """Return the name that a test imports from the module."""
        return self.call.partition(".")[0]

    def takes(self, value: object) -> bool:
        """Say whether a value must be wrapped; columns take other values as they are."""
        return isinstance(value, (int, float) if self.keyword else str)


def constructor_of(made: str) -> Constructor | None:
    """Return how a test spells values of a type, by its name; None where a literal will do."""
    kind: Any = next((one for one in _CONSTRUCTED if one.__name__ == made), None)
    if kind is None:
        return None
    reads_text = hasattr(kind, "fromisoformat")
    call = f"{made}.fromisoformat" if reads_text else made
    return Constructor(kind.__module__, call, "seconds" if kind is timedelta else "")


_CONSTRUCTED = (date, datetime, time, timedelta, Decimal, UUID)


@dataclass(frozen=True)
class RowStore:
    """One way to put rows into the tables of an application."""

    style: str = ADD
    name: str = "db.session"
    """The session or connection that takes the rows."""
    imports: tuple[str, ...] = ()
    """What the test imports: ``shop.models.db``, ``sqlite3``."""
    before: tuple[str, ...] = ()
    """Lines in front of the blocks."""
    contexts: tuple[str, ...] = (IN_APPLICATION,)
    """Contexts that the ``with`` blocks enter, the outermost first."""
    inside: tuple[str, ...] = ()
    """Lines at the beginning of the block."""
    ending: tuple[str, ...] = ("db.session.commit()",)
    """Lines at its end."""
    marker: str = "?"
    """The placeholder for a value in a statement."""
    returns_keys: bool = False
    """Whether a statement returns the key of its row with ``RETURNING``."""

    def insertion(self, table: str, columns: Sequence[str], key: str = "") -> str:
        """Return the statement that inserts a row.

        It ends in ``RETURNING`` where the `key` is wanted and `returns_keys` holds.
        """
        names = ", ".join(map(self._quoted, columns))
        markers = ", ".join([self.marker] * len(columns))
        text = f"INSERT INTO {self._quoted(table)} ({names}) VALUES ({markers})"
        if not columns and not self._is_mysql:
            text = f"INSERT INTO {self._quoted(table)} DEFAULT VALUES"
        return f"{text} RETURNING {self._quoted(key)}" if key and self.returns_keys else text

    @property
    def _is_mysql(self) -> bool:
        return self.marker == "%s" and not self.returns_keys

    def _quoted(self, name: str) -> str:
        """Return a name, in quotes where SQL may read it as something else."""
        if _PLAIN_NAME.fullmatch(name) and name not in _RESERVED:
            return name
        return f"`{name}`" if self._is_mysql else f'"{name}"'


_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*|\"[^\"]*\"(?:\.\"[^\"]*\")?")
_RESERVED = frozenset(
    (
        *("all", "check", "default", "desc", "end", "from", "group", "index", "key", "limit"),
        *("order", "primary", "references", "select", "table", "to", "transaction", "unique"),
        *("user", "using", "values", "when", "where"),
    )
)
"""Reserved words of SQL that are common names of tables and columns."""

FLASK_SQLALCHEMY = RowStore(before=('db = {client}.application.extensions["sqlalchemy"]',))
