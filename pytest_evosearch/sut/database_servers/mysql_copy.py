"""Keeps a copy of a MySQL or MariaDB database in a second database on its server.

It is committed before the first request, so the next run finds it, however this one ends.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.database_servers.mysql_inventory import COUNTERS
from pytest_evosearch.sut.database_servers.mysql_inventory import MysqlTable
from pytest_evosearch.sut.database_servers.mysql_inventory import quoted
from pytest_evosearch.sut.database_servers.mysql_inventory import text
from pytest_evosearch.sut.database_servers.mysql_schema import MysqlSchema
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.postgresql_copy import DatabaseInUse
from pytest_evosearch.sut.database_servers.postgresql_copy import in_use_by
from pytest_evosearch.sut.database_servers.postgresql_copy import started

LONGEST_NAME = 64


class MysqlCopy:
    """The copy of one database."""

    def __init__(self, database: str, purpose: str = "kept") -> None:
        self._plain = f"evosearch_{purpose}_{database}"[:LONGEST_NAME]
        self.home = quoted(self._plain)

    def make(self, session: OwnSession, tables: Sequence[MysqlTable], schema: MysqlSchema) -> None:
        """Copy all rows, counters and the schema; the mark comes last, so half a copy has none."""
        session.run(f"CREATE DATABASE {self.home}")
        session.run(
            f"CREATE TABLE {self.home}.tables (number int, name varchar(64), counter bigint)"
        )
        session.run(
            f"CREATE TABLE {self.home}.objects"
            " (place int, kind varchar(9), name varchar(64), made longtext)"
        )
        for place, ((kind, name), made) in enumerate(schema.items()):
            values = f"{place}, {_literal(kind)}, {_literal(name)}, {_literal(made)}"
            session.run(f"INSERT INTO {self.home}.objects VALUES ({values})")
        counters = counters_of(session)
        for number, table in enumerate(tables):
            session.run(
                f"CREATE TABLE {self.table(number)} ENGINE=InnoDB AS SELECT * FROM {table.name}"
            )
            session.run(
                f"INSERT INTO {self.home}.tables VALUES "
                f"({number}, {_literal(table.plain)}, {counters.get(table.plain, 0)})"
            )
        machine, begun = _literal(socket.gethostname()), _literal(started(os.getpid()))
        session.run(
            f"CREATE TABLE {self.home}.run AS "
            f"SELECT {os.getpid()} AS process, {begun} AS started, {machine} AS machine"
        )

    def drop(self, session: OwnSession) -> None:
        """Remove the copy."""
        session.run(f"DROP DATABASE IF EXISTS {self.home}")

    def table(self, number: int) -> str:
        """Return the name of the copy of a table."""
        return f"{self.home}.t{number}"

    def undo(self, tables: Iterable[tuple[int, MysqlTable]]) -> list[str]:
        """Return statements that restore tables (with their numbers) from the copy."""
        statements = []
        for number, table in tables:
            statements.append(f"DELETE FROM {table.name}")
            if table.filled:
                columns = ", ".join(table.filled)
                statements.append(
                    f"INSERT INTO {table.name} ({columns}) "
                    f"SELECT {columns} FROM {self.table(number)}"
                )
        return statements

    def recover(self, session: OwnSession, tables: Sequence[MysqlTable]) -> bool:
        """Restore the state before a killed run; return whether it had left a copy.

        Raise `DatabaseInUse` when the run still goes on.
        """
        found = self._there(session)
        if "run" in found:
            self.check_ended(session)
            self.put_back(session, tables)
        self.drop(session)
        return bool(found)

    def is_there(self, session: OwnSession) -> bool:
        """Say whether there is a complete copy."""
        return "run" in self._there(session)

    def _there(self, session: OwnSession) -> set[str]:
        named = f"table_schema = {_literal(self._plain)}"
        found = session.run(f"SELECT table_name FROM information_schema.tables WHERE {named}")
        return {text(name) for (name,) in found}

    def names(self, session: OwnSession) -> set[str]:
        """Return the names of the tables that were copied."""
        return {text(name) for (name,) in session.run(f"SELECT name FROM {self.home}.tables")}

    def schema(self, session: OwnSession) -> MysqlSchema:
        """Return the schema at the time of the copy."""
        rows = session.run(f"SELECT kind, name, made FROM {self.home}.objects ORDER BY place")
        return {(text(kind), text(name)): text(made) for kind, name, made in rows}

    def put_back(self, session: OwnSession, tables: Sequence[MysqlTable]) -> None:
        """Restore rows and counters of the copy in tables that still exist."""
        kept = {
            text(name): (int(number), int(counter))
            for number, name, counter in session.run(f"SELECT * FROM {self.home}.tables")
        }
        there = [(kept[table.plain][0], table) for table in tables if table.plain in kept]
        for statement in ("START TRANSACTION", *self.undo(there), "COMMIT"):
            session.run(statement)
        now = counters_of(session)
        for number, table in there:
            del number
            counter = kept[table.plain][1]
            if counter and now.get(table.plain) != counter:
                session.run(set_counter(table, counter))

    def check_ended(self, session: OwnSession) -> None:
        """Raise `DatabaseInUse` when the run that made the copy still goes on."""
        for process, begun, machine in session.run(f"SELECT * FROM {self.home}.run"):
            if text(machine) != socket.gethostname():
                raise DatabaseInUse(
                    f"a search on {text(machine)} works on the database, or was ended there: if it "
                    f"is gone, start one there, or remove the database {self._plain}"
                )
            if int(process) != os.getpid() and text(begun) and started(int(process)) == text(begun):
                raise DatabaseInUse(in_use_by(process))


def counters_of(session: OwnSession) -> Mapping[str, int]:
    """Return the next number of each table, 0 for tables without a counter."""
    return {text(name): int(counter) for name, counter in session.run(COUNTERS)}


def set_counter(table: MysqlTable, counter: int) -> str:
    """Return the statement that sets the counter of a table."""
    return f"ALTER TABLE {table.name} AUTO_INCREMENT = {counter}"


def _literal(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
