"""Keeps PostgreSQL connections that the application closes, and reuses them.

The server starts a process for each connection, which takes longer than most requests. So a closed
connection is reset to its initial state (no transaction, no settings, no temporary tables). Then it
waits for the next request for a connection to its database.

    psycopg      the connection below a `Connection` is put below another one
    psycopg2     the same object again, once nothing else refers to it

This lasts only while a search restores the database: afterwards fixtures may remove it.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Callable
from collections.abc import Generator
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import field
from functools import partial
from types import ModuleType
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.quick_dataclasses import dataclass

MOST_KEPT = 4
"""Most connections to one place that wait at a time."""

IDLE, IN_TRANSACTION, FAILED = 0, 2, 3
"""States of a connection, with libpq's numbers."""

_OURS_ALONE = 3
"""Reference count of an object that only a list entry, a variable and an argument refer to."""

_RESET = ("ROLLBACK", "DISCARD ALL")


class WaitingConnection(NamedTuple):
    """A connection that the application has closed."""

    one: Any
    is_good: Callable[[Any], bool]
    """Says whether it can be reused."""
    end: Callable[[Any], object]
    """Really closes it."""


@dataclass
class KeptConnections:
    """The waiting connections, by the place to which they lead."""

    waiting: dict[Hashable, list[WaitingConnection]] = field(default_factory=dict)

    def has_room(self, place: Hashable) -> bool:
        """Say whether another connection to `place` may wait; a useless one makes room.

        An error that is kept as evidence may refer to its connection until the search ends.
        """
        there = self.waiting.get(place, [])
        if len(there) >= MOST_KEPT:
            useless = [one for one in there if not one.is_good(one.one)]
            there[:] = [one for one in there if one not in useless]
            _end_all(useless)
        return len(there) < MOST_KEPT

    def give(self, place: Hashable, one: WaitingConnection) -> bool:
        """Let `one` wait; say whether there was room for it."""
        if not self.has_room(place):
            return False
        self.waiting.setdefault(place, []).append(one)
        return True

    def take(self, place: Hashable) -> Any:
        """Return a waiting connection to `place`, None without a usable one."""
        there = self.waiting.get(place, [])
        for number in range(len(there) - 1, -1, -1):
            if there[number].is_good(there[number].one):
                return there.pop(number).one
        return None

    def close(self) -> None:
        """Close all waiting connections."""
        _end_all(self.abandon())

    def abandon(self) -> list[WaitingConnection]:
        """Return all waiting connections, and forget them."""
        found = [one for there in self.waiting.values() for one in there]
        self.waiting.clear()
        return found


def _end_all(connections: list[WaitingConnection]) -> None:
    for waiting in connections:
        with suppress(Exception):
            waiting.end(waiting.one)


Keeping = Callable[[], "KeptConnections | None"]
"""Returns the place where connections wait now, None while none is kept."""

Replacement = tuple[Any, str, Any]
"""Owner of an attribute, its name, and its new value."""


def keep_psycopg(module: ModuleType, keeping: Keeping) -> list[Replacement]:
    """Return the replacements that keep connections of psycopg 3."""
    generators = sys.modules["psycopg.generators"]
    real_connect: Any = generators.connect
    kind: Any = module.Connection
    real_close = kind.close
    opened: dict[int, Hashable] = {}

    def connect(conninfo: str, *args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        kept = keeping()
        below = kept.take(conninfo) if kept is not None else None
        if below is None:
            below = yield from real_connect(conninfo, *args, **kwargs)
        if kept is not None:
            opened[id(below)] = conninfo
        return below

    def close(self: Any) -> None:
        kept, below = keeping(), self.pgconn
        place = opened.pop(id(below), None)
        pooled = getattr(self, "_pool", None) is not None
        if kept is None or place is None or pooled or not _was_reset(below):
            real_close(self)
            return
        self._closed = True
        self.pgconn = module.pq.PGconn()
        if not kept.give(place, WaitingConnection(below, _is_idle, _finish)):
            below.finish()

    return [(generators, "connect", connect), (kind, "close", close)]


def _was_reset(below: Any) -> bool:
    """Reset a libpq connection; say whether that succeeded."""
    if below.status != 0 or below.transaction_status not in (IDLE, IN_TRANSACTION, FAILED):
        return False
    statements = _RESET if below.transaction_status != IDLE else _RESET[1:]
    for statement in statements:
        below.exec_(statement.encode())
    return bool(below.transaction_status == IDLE)


def _finish(below: Any) -> None:
    below.finish()


def _is_idle(below: Any) -> bool:
    return bool(below.status == 0) and not _has_ended(below.socket)


def _has_ended(descriptor: int) -> bool:
    """Say whether the server has sent something by itself: it ends the connection."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def keep_psycopg2(module: ModuleType, keeping: Keeping) -> list[Replacement]:
    """Return the replacements that keep connections of psycopg2."""
    real: Any = vars(module)["_connect"]
    derived: dict[type[Any], type[Any]] = {}

    def connect(dsn: str, connection_factory: Any = None, **named: Any) -> Any:
        base = connection_factory or module.extensions.connection
        kept = keeping()
        if kept is None or not isinstance(base, type) or any(named.values()):
            return real(dsn, connection_factory=connection_factory, **named)
        one = kept.take((dsn, base))
        if one is not None:
            one.__class__ = derived[base]
            return one
        if base not in derived:
            derived[base] = _keeping_class(base, module, keeping)
        one = real(dsn, connection_factory=derived[base])
        one._evosearch_place = (dsn, base)
        one._evosearch_new = _settings(one)
        return one

    return [(module, "_connect", connect)]


def _settings(one: Any) -> tuple[object, ...]:
    """Return the settings of a connection object, which no server can reset."""
    return (one.encoding, one.isolation_level, one.readonly, one.deferrable)


def _is_ours_alone(one: Any) -> bool:
    """Say whether no code of the application still refers to the connection."""
    # The entry in the list, the parameter, and the argument of the counting function.
    return sys.getrefcount(one) <= _OURS_ALONE and not _has_ended(type(one).fileno(one))


def _keeping_class(base: type[Any], module: ModuleType, keeping: Keeping) -> type[Any]:
    """Return a class of connections that wait after they are closed."""
    plain: Any = module.extensions.connection
    refused = partial(module.InterfaceError, "connection already closed")

    class Waiting(base):  # type: ignore[misc]
        """A connection that is closed for the application."""

        closed = 1

        def __getattribute__(self, name: str) -> Any:
            if (
                name != "close"
                and not name.startswith("_")
                and callable(getattr(plain, name, None))
            ):
                raise refused()
            return super().__getattribute__(name)

        def __enter__(self) -> Any:
            raise refused()

        def close(self) -> None:
            """Do nothing."""

    class Keeping(base):  # type: ignore[misc]
        """A connection that is reset and waits instead of closing."""

        def close(self) -> None:
            """Close the connection as far as the application can see."""
            kept = keeping()
            place = self._evosearch_place
            is_kept = not self.closed and kept is not None and kept.has_room(place)
            if kept is None or not is_kept or not _was_set_back(self, plain, module):
                plain.close(self)
                return
            self.__class__ = Waiting
            if not kept.give(place, WaitingConnection(self, _is_ours_alone, plain.close)):
                plain.close(self)

    Keeping.__name__, Keeping.__qualname__ = base.__name__, base.__qualname__
    Keeping.__module__ = Waiting.__module__ = base.__module__
    Waiting.__name__, Waiting.__qualname__ = base.__name__, base.__qualname__
    return Keeping


def _was_set_back(one: Any, plain: Any, module: ModuleType) -> bool:
    """Make a connection like a new one; say whether that succeeded."""
    if one.info.transaction_status not in (IDLE, IN_TRANSACTION, FAILED):
        return False
    place, new = one._evosearch_place, one._evosearch_new
    try:
        if one.info.transaction_status != IDLE:
            plain.rollback(one)
        if _settings(one) != new:
            return False
        one.autocommit = True
        module.extensions.cursor(one).execute(_RESET[1])
        one.autocommit = False
    except Exception:
        return False
    vars(one).clear()
    one._evosearch_place, one._evosearch_new = place, new
    one.cursor_factory = None
    one.string_types.clear()
    one.binary_types.clear()
    return True
