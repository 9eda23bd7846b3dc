"""Keeps transactions that the project's fixtures hold open, with savepoints on their connections.

The fixture begins a transaction, fills tables, and rolls everything back at the end. No other
connection sees its rows, so they are restored on this connection.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from contextlib import suppress
from typing import Any

_SAVEPOINT = "evosearch_held"


class HeldConnections:
    """Connections that were in a transaction when the search began."""

    def __init__(self) -> None:
        self._held: list[Any] = []

    def hold(self, connections: Iterable[Any]) -> None:
        """Set a savepoint on each of `connections`."""
        self.release()
        for connection in connections:
            with suppress(Exception):
                _execute(connection, f"SAVEPOINT {_SAVEPOINT}")
                self._held.append(connection)

    def holds(self, connection: Any) -> bool:
        """Say whether a connection is one of them."""
        return any(connection is held for held in self._held)

    def restore(self) -> None:
        """Roll back to the savepoints; forget a connection whose transaction has ended."""
        self._held = [one for one in self._held if _went_back(one)]

    def release(self) -> None:
        """Forget all connections."""
        self._held = []


def _went_back(connection: Any) -> bool:
    try:
        _execute(connection, f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
    except Exception:
        return False
    return True


def _execute(connection: Any, statement: str) -> None:
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)
