"""Restores a MySQL or MariaDB database row by row.

    glance      did anything on the server write? otherwise there is nothing to do
    look        which tables and counters differ from the copy?
    undo        restores their rows and counters from the copy

MySQL cannot disable triggers, so another look shows whether they have written more.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import closing
from contextlib import suppress

from pytest_evosearch.sut.database_servers.mysql_copy import MysqlCopy
from pytest_evosearch.sut.database_servers.mysql_copy import counters_of
from pytest_evosearch.sut.database_servers.mysql_copy import set_counter
from pytest_evosearch.sut.database_servers.mysql_inventory import GLANCE
from pytest_evosearch.sut.database_servers.mysql_inventory import MysqlTable
from pytest_evosearch.sut.database_servers.mysql_inventory import changes_of_schema
from pytest_evosearch.sut.database_servers.mysql_inventory import look_statement
from pytest_evosearch.sut.database_servers.mysql_inventory import quoted
from pytest_evosearch.sut.database_servers.mysql_inventory import take_inventory
from pytest_evosearch.sut.database_servers.mysql_schema import MysqlSchema
from pytest_evosearch.sut.database_servers.mysql_schema import describe_schema
from pytest_evosearch.sut.database_servers.mysql_schema import restore_schema
from pytest_evosearch.sut.database_servers.own_session import KeptThroughSession
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.database_servers.postgresql import MOST_VALUES
from pytest_evosearch.sut.database_servers.postgresql import SIZE_LIMIT
from pytest_evosearch.sut.database_servers.postgresql import SchemaChanged

SIZE = """
SELECT coalesce(sum(data_length), 0) FROM information_schema.tables WHERE table_schema = database()
"""

MOST_PASSES = 3
"""Most looks after an undo: triggers of one table may write to another one."""

Look = dict[int, tuple[int, ...]]


class MysqlDatabase(KeptThroughSession[OwnSession]):
    """One database on a server, kept through a session of our own."""

    def __init__(self, place: Place, open_session: Callable[[], OwnSession]) -> None:
        super().__init__(open_session)
        self.name = place.database
        self.dialect = place.dialect
        self._copy = MysqlCopy(place.database)
        self._found = MysqlCopy(place.database, "found")
        self._tables: tuple[MysqlTable, ...] = ()
        self._schema: MysqlSchema = {}
        self._glance: list[tuple[object, ...]] = []
        self._clean: Look = {}
        self._counters: Mapping[str, int] = {}
        self._waited_for: set[str] = set()
        """Tables whose counters could not be set because the application held them."""
        self._going_on: set[str] = set()
        """Tables that are held all the time: their counters are never set."""

    @property
    def description(self) -> str:
        """What is restored, for the discovery block."""
        return f'{self.dialect} database "{self.name}" by rows'

    def recover(self) -> bool:
        """Restore the state before a killed run; return whether it had left changes."""
        with closing(self._open()) as session:
            _prepare(session)
            return self._recovered(session)

    def preserve(self) -> None:
        """Keep the rows from before fixtures change them; undo what a killed run has left."""
        with closing(self._open()) as session:
            _prepare(session)
            self._recovered(session)
            if int(session.run(SIZE)[0][0]) <= SIZE_LIMIT:
                self._found.make(session, take_inventory(session), describe_schema(session))

    def put_back(self, *, for_good: bool) -> None:
        """Restore the rows from before the fixtures in tables that still exist."""
        with closing(self._open()) as session:
            _prepare(session)
            if self._found.is_there(session):
                self._found.put_back(session, take_inventory(session))
            if for_good:
                self._found.drop(session)

    def _recovered(self, session: OwnSession) -> bool:
        kept, found = self._copy.is_there(session), self._found.is_there(session)
        if found:
            self._found.check_ended(session)
        if found and kept:
            for name in sorted(self._copy.names(session) - self._found.names(session)):
                session.run(f"DROP TABLE IF EXISTS {quoted(name)}")
            self._copy.drop(session)
        if kept and not found:
            self._copy.check_ended(session)
            restore_schema(session, self._copy.schema(session))
        copy = self._found if found else self._copy
        return copy.recover(session, take_inventory(session))

    def snapshot(self) -> None:
        """Keep the present rows, committed on the server itself."""
        self.close()
        session = self._open()
        try:
            _prepare(session)
            if self._copy.is_there(session):
                self._copy.check_ended(session)
            self._copy.drop(session)
            self._tables = take_inventory(session)
            self._schema = describe_schema(session)
            self._copy.make(session, self._tables, self._schema)
            self._counters = counters_of(session)
            self._clean = self._looked(session)
            self._glance = session.run(GLANCE)
        except BaseException:
            session.close()
            raise
        self._session = session

    def restore(self) -> None:
        """Restore the rows of the snapshot, if anything was written."""
        session = self._session
        if session is None:
            return
        glance = session.run(GLANCE)
        if glance == self._glance:
            return
        if changes_of_schema(glance) != changes_of_schema(self._glance):
            self._undo_shape(session)
        for _ in range(MOST_PASSES):
            found = self._looked(session)
            written = [
                (place, self._tables[place]) for place in found if self._differs(place, found)
            ]
            if not written:
                break
            for statement in ("START TRANSACTION", *self._copy.undo(written), "COMMIT"):
                session.run(statement)
        self._undo_counters(session)
        self._glance = session.run(GLANCE)

    def values(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield (table, row by column) for the first rows of every table, as they were kept."""
        if self._session is None:
            return
        for number, table in enumerate(self._tables):
            if table.plain != "alembic_version":
                names = [column.strip("`") for column in table.columns]
                query = f"SELECT * FROM {self._copy.table(number)} LIMIT {MOST_VALUES}"
                for row in self._session.run(query):
                    yield table.plain, dict(zip(names, row, strict=True))

    def _remove_copy(self, session: OwnSession) -> None:
        self._copy.drop(session)

    def _prepare_again(self, session: OwnSession) -> None:
        _prepare(session)

    def _differs(self, place: int, found: Look) -> bool:
        return found[place] != self._clean[place]

    def _looked(self, session: OwnSession) -> Look:
        if not self._tables:
            return {}
        rows = session.run(look_statement(self._tables))
        return {int(place): tuple(int(one) for one in numbers) for place, *numbers in rows}

    def _undo_counters(self, session: OwnSession) -> None:
        now = counters_of(session)
        for table in self._tables:
            kept = self._counters.get(table.plain, 0)
            if kept and now.get(table.plain, 0) != kept and table.plain not in self._going_on:
                self._set_counter(session, table, kept)

    def _set_counter(self, session: OwnSession, table: MysqlTable, kept: int) -> None:
        """Reset a counter; let it continue where a fixture holds a transaction on the table."""
        try:
            session.run(set_counter(table, kept))
        except Exception:
            if table.plain not in self._waited_for:
                self._waited_for.add(table.plain)
                raise
            self._going_on.add(table.plain)
        else:
            self._waited_for.discard(table.plain)

    def _undo_shape(self, session: OwnSession) -> None:
        """Restore removed or altered objects, and remove new ones."""
        differing = restore_schema(session, self._schema)
        if differing:
            raise SchemaChanged(f"a request changed what cannot be restored: {differing[0]}")


def _prepare(session: OwnSession) -> None:
    """Prepare a session of ours: disable foreign keys, and wait only briefly for locks."""
    session.run("SET foreign_key_checks = 0")
    session.run("SET SESSION innodb_lock_wait_timeout = 3")
    session.run("SET SESSION lock_wait_timeout = 1")
    session.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'")
    session.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    with suppress(Exception):  # MySQL 8 caches the counters of tables for a day
        session.run("SET SESSION information_schema_stats_expiry = 0")
