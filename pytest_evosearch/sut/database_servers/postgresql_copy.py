"""Keeps a copy of a PostgreSQL database inside of it, and writes the statements that put it back.

The copy is committed, in a schema of its own, before the first request is sent.  So whatever ends
the run, kill -9 included, the next one finds it there.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.postgresql_inventory import KEPT_SCHEMA
from pytest_evosearch.sut.database_servers.postgresql_inventory import Inventory
from pytest_evosearch.sut.database_servers.postgresql_inventory import Table

MANY_ROWS = 300
"""Rows of a table from which on only those are replaced that were written."""


class DatabaseInUse(RuntimeError):
    """Another search works on the database at this moment."""


def make_copy(session: OwnSession, inventory: Inventory) -> None:
    """Copy all rows and the values of all sequences, in one transaction."""
    statements = [
        f"CREATE SCHEMA {KEPT_SCHEMA}",
        f"CREATE TABLE {KEPT_SCHEMA}.run (process bigint, started text, machine text)",
        f"INSERT INTO {KEPT_SCHEMA}.run VALUES "
        f"({os.getpid()}, {_literal(started(os.getpid()))}, {_literal(socket.gethostname())})",
        f"CREATE TABLE {KEPT_SCHEMA}.tables (number bigint, name text, columns text)",
        f"CREATE TABLE {KEPT_SCHEMA}.sequences (name text, value bigint, used boolean)",
    ]
    for table in inventory.tables:
        statements += [
            f"CREATE TABLE {kept_name(table)} AS SELECT * FROM ONLY {table.name}",
            f"INSERT INTO {KEPT_SCHEMA}.tables VALUES "
            f"({table.number}, {_literal(table.name)}, {_literal(table.columns)})",
        ]
        if table.key:
            statements.append(f"CREATE INDEX ON {kept_name(table)} ({table.key})")
    statements += [
        f"INSERT INTO {KEPT_SCHEMA}.sequences SELECT {_literal(name)}, last_value, is_called "
        f"FROM {name}"
        for name in inventory.sequences
    ]
    session.run("; ".join(statements))


def drop_copy(session: OwnSession) -> None:
    """Remove the copy, which the database does not need any more."""
    session.run(f"DROP SCHEMA IF EXISTS {KEPT_SCHEMA} CASCADE")


def kept_name(table: Table) -> str:
    """Return where the copy of a table lies."""
    return f"{KEPT_SCHEMA}.t{table.number}"


def undo_all(tables: Sequence[Table], *, replica: bool) -> list[str]:
    """Return statements that give `tables` the rows of the copy, all of them anew.

    Parents come first in `tables`.  With `replica` neither triggers nor foreign keys act.
    """
    triggered = [table for table in tables if table.has_triggers and not replica]
    return [
        *(f"ALTER TABLE {table.name} DISABLE TRIGGER USER" for table in triggered),
        *(f"DELETE FROM ONLY {table.name}" for table in reversed(tables)),
        *(_insert(table, "") for table in tables if table.columns),
        *(f"ALTER TABLE {table.name} ENABLE TRIGGER USER" for table in triggered),
    ]


def undo_written(table: Table, writers: Iterable[int]) -> list[str]:
    """Return statements that replace the rows that others than `writers` have written.

    For tables of many rows with a key, where neither triggers nor foreign keys act.
    """
    known = ", ".join(str(writer) for writer in sorted(writers))
    key = table.key
    missing = f" AS k WHERE NOT EXISTS (SELECT FROM ONLY {table.name} AS t WHERE "
    missing += f"({_of('t', key)}) = ({_of('k', key)}))"
    return [
        f"DELETE FROM ONLY {table.name} WHERE xmin::text::bigint NOT IN ({known})",
        _insert(table, missing),
    ]


def undo_sequences(names: Iterable[str]) -> list[str]:
    """Return statements that give sequences the values of the copy."""
    chosen = ", ".join(_literal(name) for name in names)
    if not chosen:
        return []
    return [
        f"SELECT setval(name::regclass, value, used) FROM {KEPT_SCHEMA}.sequences "
        f"WHERE name IN ({chosen})"
    ]


def recover(session: OwnSession, inventory: Inventory, *, replica: bool) -> bool:
    """Put back what a run has left that was killed; say whether there was anything.

    Raise `DatabaseInUse` when that run goes on.
    """
    there = f"SELECT FROM pg_namespace WHERE nspname = '{KEPT_SCHEMA}'"
    if not session.run(f"SELECT EXISTS ({there})")[0][0]:
        return False
    _check_ended(session)
    kept = {
        str(name): (int(number), str(columns))
        for number, name, columns in session.run(f"SELECT * FROM {KEPT_SCHEMA}.tables")
    }
    tables = [
        Table(kept[table.name][0], table.name, kept[table.name][1], "", table.has_triggers)
        for table in inventory.tables
        if table.name in kept and table.columns == kept[table.name][1]
    ]
    sequences = [str(name) for (name,) in session.run(f"SELECT name FROM {KEPT_SCHEMA}.sequences")]
    still = [name for name in sequences if name in inventory.sequences]
    statements = [
        *undo_all(tables, replica=replica),
        *undo_sequences(still),
        f"DROP SCHEMA {KEPT_SCHEMA} CASCADE",
    ]
    session.run("; ".join(statements))
    return True


def _check_ended(session: OwnSession) -> None:
    for process, begun, machine in session.run(f"SELECT * FROM {KEPT_SCHEMA}.run"):
        if machine != socket.gethostname():
            raise DatabaseInUse(
                f"a search on {machine} works on the database, or was ended there: if it is gone, "
                f"start one there, or remove the schema {KEPT_SCHEMA}"
            )
        if process != os.getpid() and begun and started(process) == begun:
            raise DatabaseInUse(f"another search works on the database (process {process})")


def started(process: int) -> str:
    """Return what tells a process apart from a later one of the same number; empty if it ended."""
    with suppress(OSError, IndexError):
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return status.rpartition(")")[2].split()[19]
    return ""


def _insert(table: Table, condition: str) -> str:
    return (
        f"INSERT INTO {table.name} ({table.columns}) OVERRIDING SYSTEM VALUE "
        f"SELECT {table.columns} FROM {kept_name(table)}{condition}"
    )


def _of(alias: str, columns: str) -> str:
    return ", ".join(f"{alias}.{column}" for column in columns.split(", "))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
