"""Restores transactions that fixtures keep open around their tests.

    with db.engine.connect() as connection, connection.begin() as transaction:
        db.session = scoped_session(sessionmaker(bind=connection))
        yield db.session

A handler that rolls its session back ends the fixture's transaction. SQLAlchemy refuses the
connection after that ("Can't operate on closed transaction inside context manager"). pytest sets
the fixture up again for each test, while the search has one set-up for all. The database's keeper
restores the content of the transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.living import living
from pytest_evosearch.sut.living import loaded_classes


@dataclass(frozen=True)
class _Held:
    """A SQLAlchemy connection in a transaction."""

    connection: Any
    transaction: Any
    context: Any
    """The transaction as a context manager, which SQLAlchemy checks before each statement."""

    def is_there(self) -> bool:
        present = self.connection._transaction
        return present is self.transaction and bool(present.is_active)

    def bring_back(self) -> None:
        connection = self.connection
        if connection._transaction not in (None, self.transaction):
            connection._trans_context_manager = None
            connection._transaction.close()
        connection._transaction = self.transaction
        connection._trans_context_manager = self.context
        self.transaction.is_active = True
        if not getattr(connection.connection.dbapi_connection, "in_transaction", True):
            connection._begin_impl(self.transaction)


class HeldTransactionsKeeper:
    """Keeps the transactions that are open when the search begins."""

    description = ""

    def __init__(self) -> None:
        self._held: list[_Held] = []

    def snapshot(self) -> None:
        """Remember which connections are in a transaction; savepoints cannot be restored."""
        self._held = list(_held_transactions())

    def restore(self) -> None:
        """Begin transactions again that ended since the snapshot."""
        for held in self._held:
            if not held.is_there() and not held.connection.closed:
                with suppress(Exception):
                    held.bring_back()

    def close(self) -> None:
        """Forget the connections."""
        self._held = []


def _held_transactions() -> Iterator[_Held]:
    for found in living(*loaded_classes(("sqlalchemy.engine", "Connection"))):
        if getattr(found, "closed", True):  # one that could not be opened has no attributes yet
            continue
        transaction = getattr(found, "_transaction", None)
        context = getattr(found, "_trans_context_manager", None)
        if context is not None and context is transaction and transaction.is_active:
            yield _Held(found, transaction, context)
