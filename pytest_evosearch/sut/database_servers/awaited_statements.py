"""Reports statements of asynchronous drivers to the query watch, before they run.

The watch learns whether they find rows, and which tables they read. It does not learn how near
other rows are: our own query would have to wait for the event loop of the statement.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import field
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.queries.row_nearness import RowsUnavailableError
from pytest_evosearch.sut.queries.row_predicates import RowQuery
from pytest_evosearch.sut.queries.watch import QueryWatch


class Awaited(NamedTuple):
    """An awaited method, and how to read its statements."""

    owner: str
    """Module and class of the method."""
    method: str
    dialect: str
    """sqlglot's name for the SQL dialect."""
    formats: bool
    """Whether placeholders are those of ``%``."""
    asked: Callable[..., tuple[Any, Any]]
    """Takes the method's arguments; returns the statement and its values."""
    finds: Callable[[Any, Any], bool | None]
    """Takes the object and the result; says whether there are rows, None when unknown."""


def _counted(cursor: Any, _result: Any) -> bool | None:
    return cursor.rowcount > 0 if cursor.rowcount >= 0 else None


def _returned(_connection: Any, result: Any) -> bool | None:
    """Say whether records, or a status beside them (``UPDATE 3``), show rows."""
    if isinstance(result, tuple):
        return _changed_any(str(result[1].decode() if isinstance(result[1], bytes) else result[1]))
    return bool(result) if isinstance(result, list) else None


def _prepared(statement: Any, _result: Any) -> bool | None:
    return _changed_any(str(statement.get_statusmsg()))


def _changed_any(status: str) -> bool | None:
    number = status.rpartition(" ")[2]
    return int(number) > 0 if number.isdigit() else None


def _awaited_methods() -> Iterator[Awaited]:
    yield Awaited(
        *("asyncpg.connection.Connection", "_execute", "postgres", False),
        lambda _self, query, args, *_rest, **_named: (query, args),
        _returned,
    )
    yield Awaited(
        *("asyncpg.prepared_stmt.PreparedStatement", "fetch", "postgres", False),
        lambda self, *args, **_named: (self._query, args),
        _prepared,
    )
    yield Awaited(
        *("psycopg.AsyncCursor", "execute", "postgres", True),
        lambda _self, query, params=None, **_named: (query, params),
        _counted,
    )
    yield Awaited(
        *("aiomysql.cursors.Cursor", "execute", "mysql", True),
        lambda _self, query, args=None: (query, args),
        _counted,
    )


class _NoReader:
    """Reads no rows."""

    def read(self, query: RowQuery, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return no rows."""
        raise RowsUnavailableError


@dataclass
class AwaitedStatements:
    """Replaces methods of asynchronous drivers, when one opens a connection."""

    watching: Callable[[], QueryWatch | None]
    _changed: set[tuple[type[Any], str]] = field(default_factory=set)
    _patches: Patches = field(default_factory=Patches)

    def watch(self) -> None:
        """Watch the statements of all imported asynchronous drivers."""
        for awaited in _awaited_methods():
            module, _, name = awaited.owner.rpartition(".")
            owner = getattr(sys.modules.get(module), name, None)
            if owner is not None and (owner, awaited.method) not in self._changed:
                real = vars(owner)[awaited.method]
                self._changed.add((owner, awaited.method))
                self._patches.setattr(owner, awaited.method, self._watched(awaited, real))

    def _watched(self, awaited: Awaited, real: Any) -> Any:
        @functools.wraps(real)
        async def run(self: Any, *arguments: Any, **named: Any) -> Any:
            watch = watching()
            question = None
            if watch is not None:
                text, values = awaited.asked(self, *arguments, **named)
                question = watch.ask(text, values, awaited.dialect, awaited.formats, _NoReader())
            result = await real(self, *arguments, **named)
            finds = awaited.finds(self, result) if question is not None else None
            if question is not None and finds is not None:
                question.finds(finds)
            return result

        watching = self.watching
        return run

    def undo(self) -> None:
        """Restore the methods of the classes."""
        self._patches.undo()
        self._changed.clear()
