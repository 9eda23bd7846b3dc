"""Restores the written keys of a Redis server from a copy of all keys.

    glance      did anything on the server write? otherwise there is nothing to do
    undo        restores keys that differ, removes new ones

The server serialises the values itself, so every type is restored.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.database_servers.own_session import KeptThroughSession
from pytest_evosearch.sut.database_servers.places import Place

MOST_KEYS = 20_000
"""Most keys of a server that are kept; a server with more is left alone."""

FOUND = b"evosearch:found"
"""Prefix of keys in the last database that hold the copy from before the fixtures."""

Packed = tuple[bytes, int]
"""A serialised value, and its remaining life in milliseconds: 0 for unlimited."""


class TooManyKeys(RuntimeError):
    """Says that a server has more keys than are copied."""


class RedisServer(KeptThroughSession[Any]):
    """Keeps all databases of one server, through a session of our own."""

    dialect = "Redis"

    def __init__(self, place: Place, open_session: Callable[[], Any]) -> None:
        super().__init__(open_session)
        self.name = place.host or "localhost"
        self._kept: dict[int, dict[bytes, Packed]] = {}
        self._found: dict[int, dict[bytes, Packed]] | None = None
        """The keys from before the fixtures, which may empty the whole server."""
        self._glance = -1

    @property
    def description(self) -> str:
        """What is restored, for the discovery block."""
        return "Redis by keys"

    def recover(self) -> bool:
        """Restore the state before a killed run; return whether it had left changes."""
        session = self._open()
        try:
            return self._put_found_back(session, for_good=True)
        finally:
            session.close()

    def preserve(self) -> None:
        """Keep the keys from before fixtures change them; undo what a killed run has left."""
        session = self._open()
        try:
            self._put_found_back(session, for_good=True)
            kept = self._found = _packed_keys(session)
            last = _last_database(session)
            session.run("SELECT", last)
            session.run("SET", FOUND, json.dumps(sorted(kept)))
            for database, keys in kept.items():
                for key, (value, left) in keys.items():
                    place = b"%s:%d:%d:%s" % (FOUND, database, left, key)
                    session.run("SET", place, value)
        finally:
            session.close()

    def put_back(self, *, for_good: bool) -> None:
        """Restore the keys from before the fixtures."""
        session = self._open()
        try:
            self._put_found_back(session, for_good=for_good)
        finally:
            session.close()

    def snapshot(self) -> None:
        """Keep the present keys."""
        self.close()
        self._session = self._open()
        self._kept = _packed_keys(self._session)
        self._glance = _changes(self._session)

    def restore(self) -> None:
        """Restore the keys of the snapshot, if anything was written or may have expired."""
        session = self._session
        if session is None:
            return
        passing = any(left for keys in self._kept.values() for _value, left in keys.values())
        if not passing and _changes(session) == self._glance:
            return
        _restore(session, self._kept)
        self._glance = _changes(session)

    def values(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield nothing: keys have no columns."""
        return iter(())

    def _remove_copy(self, _session: Any) -> None:
        """Do nothing: the copy is in the memory of this process."""

    def _prepare_again(self, _session: Any) -> None:
        """Do nothing: an open session is ready."""

    def _put_found_back(self, session: Any, *, for_good: bool) -> bool:
        last = _last_database(session)
        session.run("SELECT", last)
        named = session.run("GET", FOUND)
        if named is None and self._found is None:
            return False
        found: dict[int, dict[bytes, Packed]] = {one: {} for one in json.loads(named or "[]")}
        copies = session.run("KEYS", FOUND + b":*")
        for place in copies:
            database, left, key = place[len(FOUND) + 1 :].split(b":", 2)
            found.setdefault(int(database), {})[key] = session.run("GET", place), int(left)
        _restore(session, found if self._found is None else self._found)
        if for_good:
            session.run("SELECT", last)
            for place in [*copies, FOUND]:
                session.run("DEL", place)
        return True


def _changes(session: Any) -> int:
    """Return a number that grows with each write to any database."""
    for line in session.run("INFO", "persistence").splitlines():
        name, _, value = line.partition(b":")
        if name == b"rdb_changes_since_last_save":
            return int(value)
    return -2  # no other number equals it


def _last_database(session: Any) -> int:
    return int(session.run("CONFIG", "GET", "databases")[1]) - 1


def _databases(session: Any) -> list[int]:
    """Return the databases that contain keys."""
    lines = session.run("INFO", "keyspace").splitlines()
    return [int(line[2:].partition(b":")[0]) for line in lines if line.startswith(b"db")]


def _packed_keys(session: Any) -> dict[int, dict[bytes, Packed]]:
    """Return all keys with their values."""
    found: dict[int, dict[bytes, Packed]] = {}
    for database in _databases(session):
        session.run("SELECT", database)
        if int(session.run("DBSIZE")) > MOST_KEYS:
            raise TooManyKeys(f"its database {database} has more than {MOST_KEYS} keys")
        found[database] = {}
        for key in session.run("KEYS", "*"):
            value = session.run("DUMP", key)
            if value is not None and not key.startswith(FOUND):
                found[database][key] = value, max(int(session.run("PTTL", key)), 0)
    return found


def _restore(session: Any, kept: dict[int, dict[bytes, Packed]]) -> None:
    now = _packed_keys(session)
    for database in {*now, *kept}:
        session.run("SELECT", database)
        there, wanted = now.get(database, {}), kept.get(database, {})
        for key in there.keys() - wanted.keys():
            session.run("DEL", key)
        for key, (value, left) in wanted.items():
            if there.get(key) != (value, left) or left:
                session.run("RESTORE", key, left, value, "REPLACE")
