"""Keeps a copy of a PostgreSQL database inside it, and makes the statements to restore it.

The copy is committed, in a schema of its own, before the first request. So the next run finds it,
however this one ends, even by kill -9.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.postgresql_inventory import FOUND_SCHEMA
from pytest_evosearch.sut.database_servers.postgresql_inventory import KEPT_SCHEMA
from pytest_evosearch.sut.database_servers.postgresql_inventory import Inventory
from pytest_evosearch.sut.database_servers.postgresql_inventory import Table
from pytest_evosearch.sut.database_servers.postgresql_inventory import take_inventory
from pytest_evosearch.sut.database_servers.postgresql_schema import Definition
from pytest_evosearch.sut.database_servers.postgresql_schema import Schema
from pytest_evosearch.sut.database_servers.postgresql_schema import restore_schema

MANY_ROWS = 300
"""Number of rows from which on only written rows of a table are replaced."""


class DatabaseInUse(RuntimeError):
    """Says that another search is working on the database."""


def make_copy(
    session: OwnSession, inventory: Inventory, schema: Schema, home: str = KEPT_SCHEMA
) -> None:
    """Copy all rows, the values of all sequences, and the schema, in one transaction."""
    statements = [
        f"CREATE SCHEMA {home}",
        f"CREATE TABLE {home}.run (process bigint, started text, machine text)",
        f"INSERT INTO {home}.run VALUES ({_mark()})",
        f"CREATE TABLE {home}.tables (number bigint, name text, columns text)",
        f"CREATE TABLE {home}.sequences (name text, value bigint, used boolean)",
    ]
    statements.append(
        f"CREATE TABLE {home}.objects (place int, kind text, name text, make text, remove text)"
    )
    statements += [
        f"INSERT INTO {home}.objects VALUES ({place}, {_literal(kind)}, {_literal(name)}, "
        f"{_literal(one.make)}, {_literal(one.remove)})"
        for place, ((kind, name), one) in enumerate(schema.items())
    ]
    for table in inventory.tables:
        rows = f"SELECT {table.copied} FROM ONLY {table.name}"
        statements += [
            f"CREATE TABLE {kept_name(table, home)} AS {rows}",
            f"INSERT INTO {home}.tables VALUES ({_described(table)})",
        ]
        if table.key:
            statements.append(f"CREATE INDEX ON {kept_name(table, home)} ({table.key})")
    statements += [
        f"INSERT INTO {home}.sequences SELECT {_literal(name)}, last_value, is_called FROM {name}"
        for name in inventory.sequences
    ]
    session.run("; ".join(statements))


def _mark() -> str:
    """Return a mark that identifies the run that makes a copy."""
    own = os.getpid()
    return f"{own}, {_literal(started(own))}, {_literal(socket.gethostname())}"


def _described(table: Table) -> str:
    return f"{table.number}, {_literal(table.name)}, {_literal(table.columns)}"


def drop_copy(session: OwnSession, home: str = KEPT_SCHEMA) -> None:
    """Remove the copy, which the database no longer needs."""
    session.run(f"DROP SCHEMA IF EXISTS {home} CASCADE")


def kept_name(table: Table, home: str = KEPT_SCHEMA) -> str:
    """Return the name of the copy of a table."""
    return f"{home}.t{table.number}"


def undo_all(tables: Sequence[Table], *, replica: bool, home: str = KEPT_SCHEMA) -> list[str]:
    """Return statements that replace all rows of `tables` by those of the copy.

    Parents come first in `tables`. With `replica`, triggers and foreign keys are disabled.
    """
    triggered = [table for table in tables if table.has_triggers and not replica]
    return [
        *(f"ALTER TABLE {table.name} DISABLE TRIGGER USER" for table in triggered),
        *(f"DELETE FROM ONLY {table.name}" for table in reversed(tables)),
        *(_insert(table, "", home) for table in tables if table.columns),
        *(f"ALTER TABLE {table.name} ENABLE TRIGGER USER" for table in triggered),
    ]


def undo_written(table: Table, writers: Iterable[int]) -> list[str]:
    """Return statements that replace rows by other transactions than `writers`.

    They are for tables with many rows and a key, with triggers and foreign keys disabled.
    """
    known = ", ".join(str(writer) for writer in sorted(writers))
    key = table.key
    missing = f" AS k WHERE NOT EXISTS (SELECT FROM ONLY {table.name} AS t WHERE "
    missing += f"({_of('t', key)}) = ({_of('k', key)}))"
    return [
        f"DELETE FROM ONLY {table.name} WHERE xmin::text::bigint NOT IN ({known})",
        _insert(table, missing, KEPT_SCHEMA),
    ]


def undo_sequences(names: Iterable[str], home: str = KEPT_SCHEMA) -> list[str]:
    """Return statements that set sequences to the values of the copy."""
    chosen = ", ".join(_literal(name) for name in names)
    if not chosen:
        return []
    return [
        f"SELECT setval(name::regclass, value, used) FROM {home}.sequences WHERE name IN ({chosen})"
    ]


def recover(session: OwnSession, *, replica: bool) -> bool:
    """Restore the state before a killed run; return whether it had left a copy.

    Raise `DatabaseInUse` when the run still goes on.
    """
    check_ended(session)
    homes = _homes(session)
    if FOUND_SCHEMA in homes:
        if KEPT_SCHEMA in homes:
            _drop_tables_of_the_run(session)
        put_back(session, FOUND_SCHEMA, replica=replica)
    elif homes:
        restore_schema(session, _kept_schema(session, KEPT_SCHEMA))
        put_back(session, KEPT_SCHEMA, replica=replica)
    for home in homes:
        drop_copy(session, home)
    return bool(homes)


def put_back(session: OwnSession, home: str, *, replica: bool) -> None:
    """Restore tables and sequences that still exist from a copy, in one transaction."""
    if home not in _homes(session):
        return
    inventory = take_inventory(session)
    kept = {
        str(name): (int(number), str(columns))
        for number, name, columns in session.run(f"SELECT number, name, columns FROM {home}.tables")
    }
    tables = [
        replace(table, number=kept[table.name][0])
        for table in inventory.tables
        if table.name in kept and table.columns == kept[table.name][1]
    ]
    sequences = [str(name) for (name,) in session.run(f"SELECT name FROM {home}.sequences")]
    still = [name for name in sequences if name in inventory.sequences]
    statements = undo_all(tables, replica=replica, home=home) + undo_sequences(still, home)
    if statements:
        session.run("; ".join(statements))


def _kept_schema(session: OwnSession, home: str) -> Schema:
    """Return the schema at the time of a copy."""
    rows = session.run(f"SELECT kind, name, make, remove FROM {home}.objects ORDER BY place")
    return {(str(kind), str(name)): Definition(make, remove) for kind, name, make, remove in rows}


def _homes(session: OwnSession) -> list[str]:
    """Return the existing schemas with copies."""
    named = f"nspname IN ('{FOUND_SCHEMA}', '{KEPT_SCHEMA}')"
    return [str(name) for (name,) in session.run(f"SELECT nspname FROM pg_namespace WHERE {named}")]


def _drop_tables_of_the_run(session: OwnSession) -> None:
    """Remove tables that the fixtures of the killed run made, as their clean-up would have."""
    made = session.run(
        f"SELECT k.name FROM {KEPT_SCHEMA}.tables k JOIN pg_class c ON c.oid = k.number "
        f"WHERE k.name NOT IN (SELECT name FROM {FOUND_SCHEMA}.tables)"
    )
    if made:
        names = ", ".join(str(name) for (name,) in made)
        session.run(f"DROP TABLE IF EXISTS {names} CASCADE")


def check_ended(session: OwnSession) -> None:
    """Raise `DatabaseInUse` when the run that made a copy still goes on."""
    for home in _homes(session):
        for process, begun, machine in session.run(f"SELECT * FROM {home}.run"):
            if machine != socket.gethostname():
                raise DatabaseInUse(
                    f"a search on {machine} works on the database, or was ended there: if it is "
                    f"gone, start one there, or remove the schema {home}"
                )
            if process != os.getpid() and begun and started(process) == begun:
                raise DatabaseInUse(in_use_by(process))


def in_use_by(process: int) -> str:
    """Return a line with the search that uses a database, and what to do."""
    return (
        f"another search works on the database (process {process}): wait for its end, or give "
        "each its own, as for workers of pytest-xdist (by PYTEST_XDIST_WORKER)"
    )


def started(process: int) -> str:
    """Return a text that tells a process from a later one of its number; empty when ended."""
    with suppress(OSError, IndexError):
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return status.rpartition(")")[2].split()[19]
    return ""


def _insert(table: Table, condition: str, home: str) -> str:
    return (
        f"INSERT INTO {table.name} ({table.columns}) OVERRIDING SYSTEM VALUE "
        f"SELECT {table.pasted} FROM {kept_name(table, home)}{condition}"
    )


def _of(alias: str, columns: str) -> str:
    return ", ".join(f"{alias}.{column}" for column in columns.split(", "))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
