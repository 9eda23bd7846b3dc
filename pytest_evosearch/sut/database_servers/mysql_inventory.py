"""Lists the tables of MySQL or MariaDB, with the statements to read and fill each."""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.own_session import Rows

_COLUMNS = """
SELECT c.table_name, c.column_name, c.column_key, coalesce(c.generation_expression, '')
FROM information_schema.columns c JOIN information_schema.tables t
  ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = database() AND t.table_type = 'BASE TABLE'
ORDER BY c.table_name, c.ordinal_position
"""

_TRIGGERS = """
SELECT DISTINCT event_object_table FROM information_schema.triggers
WHERE event_object_schema = database()
"""

COUNTERS = """
SELECT table_name, coalesce(auto_increment, 0) FROM information_schema.tables
WHERE table_schema = database() AND table_type = 'BASE TABLE'
"""
"""Query for the next number of each table, 0 for tables without a counter."""

_WRITES = ("Handler_write", "Handler_update", "Handler_delete", "Com_truncate")
_CHANGES = ("create", "drop", "alter", "rename")
"""First words of statements that change a schema."""

GLANCE = (
    "SHOW GLOBAL STATUS WHERE variable_name IN ("
    + ", ".join(f"'{name}'" for name in _WRITES)
    + ") OR "
    + " OR ".join(f"variable_name LIKE 'Com\\_{word}\\_%'" for word in _CHANGES)
)
"""Query for numbers that stay constant while nothing writes on the whole server."""


def changes_of_schema(glance: Rows) -> Rows:
    """Return the numbers of a glance that stay constant while no schema changes."""
    return [row for row in glance if text(row[0]) not in _WRITES]


@dataclass(frozen=True)
class MysqlTable:
    """One table, with its names quoted."""

    plain: str
    """Unquoted name."""
    columns: tuple[str, ...]
    """All columns."""
    filled: tuple[str, ...]
    """Columns that accept inserted values."""
    has_triggers: bool = False

    @property
    def name(self) -> str:
        """Quoted name for statements."""
        return quoted(self.plain)


def take_inventory(session: OwnSession) -> tuple[MysqlTable, ...]:
    """Return the present tables of the database, those with triggers first."""
    triggered = {text(name) for (name,) in session.run(_TRIGGERS)}
    columns: dict[str, list[str]] = {}
    filled: dict[str, list[str]] = {}
    for table, column, _key, generated in session.run(_COLUMNS):
        columns.setdefault(text(table), []).append(quoted(text(column)))
        if not text(generated) or text(generated) == "NULL":
            filled.setdefault(text(table), []).append(quoted(text(column)))
    tables = [
        MysqlTable(name, tuple(of), tuple(filled.get(name, ())), name in triggered)
        for name, of in columns.items()
    ]
    return tuple(sorted(tables, key=lambda table: (not table.has_triggers, table.plain)))


def look_statement(tables: tuple[MysqlTable, ...]) -> str:
    """Return a query with one row for each table, which changes when the table was written.

    The row has the number of rows and two sums over all their values.
    """
    parts = []
    for place, table in enumerate(tables):
        values = ", ".join(
            f"coalesce(cast({column} AS CHAR CHARACTER SET binary), 0x00)"
            for column in table.columns
        )
        row = f"concat_ws(0x1f, {values})"
        parts.append(
            f"SELECT {place}, count(*), coalesce(sum(crc32({row})), 0), "
            f"coalesce(bit_xor(crc32(concat(0x7e, reverse({row})))), 0) FROM {table.name}"
        )
    return " UNION ALL ".join(parts)


def quoted(name: str) -> str:
    """Return a quoted name."""
    return "`" + name.replace("`", "``") + "`"


def text(value: object) -> str:
    """Return a text that a driver may have returned as bytes."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    return str(value)
