"""Restores a PostgreSQL database row by row.

    glance      did anything on the server write? otherwise there is nothing to do
    look        which tables and sequences differ from the copy?
    undo        restores their rows and values from the copy, in one message

The application commits as in production: no transaction is kept open around its requests.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import closing

from pytest_evosearch.sut.database_servers.own_session import KeptThroughSession
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.own_session import Rows
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.database_servers.postgresql_copy import MANY_ROWS
from pytest_evosearch.sut.database_servers.postgresql_copy import check_ended
from pytest_evosearch.sut.database_servers.postgresql_copy import drop_copy
from pytest_evosearch.sut.database_servers.postgresql_copy import kept_name
from pytest_evosearch.sut.database_servers.postgresql_copy import make_copy
from pytest_evosearch.sut.database_servers.postgresql_copy import put_back
from pytest_evosearch.sut.database_servers.postgresql_copy import recover
from pytest_evosearch.sut.database_servers.postgresql_copy import undo_all
from pytest_evosearch.sut.database_servers.postgresql_copy import undo_sequences
from pytest_evosearch.sut.database_servers.postgresql_copy import undo_written
from pytest_evosearch.sut.database_servers.postgresql_inventory import FOUND_SCHEMA
from pytest_evosearch.sut.database_servers.postgresql_inventory import GLANCE_PLACE
from pytest_evosearch.sut.database_servers.postgresql_inventory import Inventory
from pytest_evosearch.sut.database_servers.postgresql_inventory import Table
from pytest_evosearch.sut.database_servers.postgresql_inventory import look_again
from pytest_evosearch.sut.database_servers.postgresql_inventory import look_call
from pytest_evosearch.sut.database_servers.postgresql_inventory import looking_function
from pytest_evosearch.sut.database_servers.postgresql_inventory import take_inventory
from pytest_evosearch.sut.database_servers.postgresql_schema import Schema
from pytest_evosearch.sut.database_servers.postgresql_schema import describe_schema
from pytest_evosearch.sut.database_servers.postgresql_schema import restore_schema

MOST_WRITERS = 20
"""Most transactions that count as writers of a large table; beyond it, all rows are replaced."""

SIZE = "SELECT coalesce(pg_database_size(current_database()), 0)"
SIZE_LIMIT = 512 << 20
"""Most bytes of a database that is copied before fixtures change it."""

MOST_VALUES = 20
"""Most rows of a table that are read for their values."""

Look = dict[int, tuple[int, ...]]


class SchemaChanged(RuntimeError):
    """Says that a handler removed something that rows cannot restore."""


class PostgresqlDatabase(KeptThroughSession[OwnSession]):
    """One database on a server, kept through a session of our own."""

    def __init__(self, place: Place, open_session: Callable[[], OwnSession]) -> None:
        super().__init__(open_session)
        self.name = place.database
        self.dialect = place.dialect
        self._replica = False
        self._inventory = Inventory((), ())
        self._schema: Schema = {}
        self._clean: Look = {}
        self._writers: dict[int, set[int]] = {}
        """Number of a large table -> transactions that wrote its original rows."""

    @property
    def description(self) -> str:
        """What is restored, for the discovery block."""
        return f'{self.dialect} database "{self.name}" by rows'

    def recover(self) -> bool:
        """Restore the state before a killed run; return whether it had left changes."""
        with closing(self._open()) as session:
            return recover(session, replica=_prepare(session))

    def preserve(self) -> None:
        """Keep the rows from before fixtures change them; undo what a killed run has left."""
        with closing(self._open()) as session:
            recover(session, replica=_prepare(session))
            if int(session.run(SIZE)[0][0]) <= SIZE_LIMIT:
                inventory = take_inventory(session)
                make_copy(session, inventory, describe_schema(session), FOUND_SCHEMA)

    def put_back(self, *, for_good: bool) -> None:
        """Restore the rows from before the fixtures in tables that still exist."""
        with closing(self._open()) as session:
            put_back(session, FOUND_SCHEMA, replica=_prepare(session))
            if for_good:
                drop_copy(session, FOUND_SCHEMA)

    def snapshot(self) -> None:
        """Keep the present rows, committed in the database itself."""
        self.close()
        session = self._open()
        try:
            self._replica = _prepare(session)
            self._inventory = take_inventory(session)
            check_ended(session)
            drop_copy(session)
            self._schema = describe_schema(session)
            make_copy(session, self._inventory, self._schema)
            self._writers = {}
            session.run(looking_function(self._inventory))
            self._note_clean(session)
        except BaseException:
            session.close()
            raise
        self._session = session

    def restore(self) -> None:
        """Restore the rows of the snapshot, if anything was written."""
        session = self._session
        if session is None:
            return
        found = self._looked(session)
        if not found:
            return
        if found[0] != self._clean[0]:
            self._undo_shape(session)
            found = self._looked(session, everything=True)
        written = [
            place
            for place, numbers in found.items()
            if place != GLANCE_PLACE and numbers != self._clean[place]
        ]
        if not written:
            self._clean[GLANCE_PLACE] = found[GLANCE_PLACE]
            return
        session.run("; ".join(self._undo(written, found)))
        # Only the restored tables can differ, unless deleting rows deleted others.
        places = written if self._replica else sorted(found.keys() - {0, GLANCE_PLACE})
        self._clean.update(_by_place(session.run(look_again(self._inventory, places))))
        self._note_writers()

    def values(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield (table, row by column) for the first rows of every table, as they were kept."""
        if self._session is None:
            return
        for table in self._inventory.tables:
            if table.columns and not table.name.endswith(".alembic_version"):
                query = f"SELECT {table.columns} FROM {kept_name(table)} LIMIT {MOST_VALUES}"
                names = [name.strip('"') for name in table.columns.split(", ")]
                for row in self._session.run(query):
                    yield (
                        table.name.rpartition(".")[2].strip('"'),
                        dict(zip(names, row, strict=True)),
                    )

    def _remove_copy(self, session: OwnSession) -> None:
        drop_copy(session)

    def _prepare_again(self, session: OwnSession) -> None:
        _prepare(session)

    def _undo(self, written: list[int], found: Look) -> list[str]:
        tables = [self._inventory.tables[place - 1] for place in written if place > 0]
        sequences = [self._inventory.sequences[-place - 1] for place in written if place < 0]
        statements = undo_sequences(sequences)
        if not self._replica:
            # Deleting a row may delete rows that refer to it, so those tables are restored, too.
            return undo_all(self._inventory.referring(tables), replica=False) + statements
        for place in [place for place in written if place > 0]:
            table = self._inventory.tables[place - 1]
            statements += self._undo_table(table, found[place][0], self._clean[place][0])
        return statements

    def _undo_table(self, table: Table, rows: int, kept: int) -> list[str]:
        if max(rows, kept) <= MANY_ROWS or not table.key:
            return undo_all([table], replica=True)
        writers = self._writers.get(table.number)
        if writers is None or len(writers) > MOST_WRITERS:
            self._writers[table.number] = set()
            return undo_all([table], replica=True)
        return undo_written(table, writers)

    def _note_clean(self, session: OwnSession) -> None:
        self._clean = self._looked(session, everything=True)

    def _note_writers(self) -> None:
        for place, table in enumerate(self._inventory.tables, start=1):
            if table.number in self._writers:
                self._writers[table.number].add(self._clean[place][2])

    def _looked(self, session: OwnSession, *, everything: bool = False) -> Look:
        """Return the result of a look; empty where a glance shows that nothing was written."""
        known, counted, _ = (-1, -1, 0) if everything else self._clean[GLANCE_PLACE]
        try:
            return _by_place(session.run(look_call(known, counted)))
        except Exception:  # a table is gone, or has other columns
            if everything:
                raise
            return {0: ()}

    def _undo_shape(self, session: OwnSession) -> None:
        """Restore removed or altered objects, and remove new ones."""
        differing = restore_schema(session, self._schema)
        now = {table.name: table for table in take_inventory(session).tables}
        kept = self._inventory.tables
        differing += [one.name for one in kept if not one.is_like(now.get(one.name))]
        if differing:
            raise SchemaChanged(f"a request changed what cannot be restored: {differing[0]}")
        self._clean[0] = self._looked(session, everything=True)[0]


def _by_place(rows: Rows) -> Look:
    return {int(place): tuple(int(one) for one in numbers) for place, *numbers in rows}


def _prepare(session: OwnSession) -> bool:
    """Prepare a session of ours; return whether it may disable triggers and foreign keys."""
    session.run("SET lock_timeout = '3s'")
    session.run("SET synchronous_commit = off")
    try:
        session.run("SET session_replication_role = replica")
    except Exception:  # only superusers may
        return False
    return True
