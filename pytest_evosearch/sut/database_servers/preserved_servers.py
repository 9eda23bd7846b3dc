"""Restores databases on servers to their state before the project's fixtures, however the run ends.

The content is copied on the server itself before the first connection is returned. A journal beside
the reports notes the copy. With it, even a plain run of the project's tests undoes the changes of a
killed search.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.database_servers.connections import SeenDatabase
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.database_keeper import DatabaseKeeper
from pytest_evosearch.sut.database_servers.database_keeper import keeper_of
from pytest_evosearch.sut.database_servers.postgresql_copy import DatabaseInUse


@contextmanager
def preserved_servers(journal: Path) -> Iterator[Callable[[], None]]:
    """Keep every database on a server as it is at the application's first connection.

    Yields a function that restores everything at once. Works inside
    `connections.watched_server_connections`; otherwise nothing is kept.
    """
    keepers: list[DatabaseKeeper] = []

    def keep(database: SeenDatabase) -> None:
        keeper = keeper_of(database)
        if keeper is None or database.led:
            return
        try:
            keeper.preserve()
        except DatabaseInUse as error:
            raise EvosearchUsageError(f"{database.place}: {error}") from error
        except Exception:  # the application will report a problem with its server
            return
        keepers.append(keeper)
        _note(journal, str(database.place))

    def put_back() -> None:
        for keeper in keepers:
            with suppress(Exception):  # fixtures may have removed the database
                keeper.put_back(for_good=False)

    connections = active_server_connections()
    if connections is not None:
        connections.listeners.append(keep)
    try:
        yield put_back
    finally:
        if connections is not None:
            connections.listeners.remove(keep)
        for keeper in keepers:
            with suppress(Exception):
                keeper.put_back(for_good=True)
        if keepers:
            journal.unlink(missing_ok=True)


def recover_at_first_connection(journal: Path) -> Callable[[SeenDatabase], None]:
    """Return a listener that undoes changes of a killed search, database by database."""

    def recover(database: SeenDatabase) -> None:
        if str(database.place) not in _noted(journal):
            return
        keeper = keeper_of(database)
        with suppress(Exception):  # the search still runs, or the server is gone
            if keeper is not None:
                keeper.recover()
                _strike_out(journal, str(database.place))

    return recover


def _noted(journal: Path) -> list[str]:
    with suppress(OSError):
        return os.fsdecode(journal.read_bytes()).splitlines()
    return []


def _note(journal: Path, place: str) -> None:
    with suppress(OSError):
        journal.parent.mkdir(parents=True, exist_ok=True)
        places = dict.fromkeys((*_noted(journal), place))
        journal.write_bytes(os.fsencode("".join(f"{one}\n" for one in places)))


def _strike_out(journal: Path, place: str) -> None:
    rest = [one for one in _noted(journal) if one != place]
    if rest:
        journal.write_bytes(os.fsencode("".join(f"{one}\n" for one in rest)))
    else:
        journal.unlink(missing_ok=True)
