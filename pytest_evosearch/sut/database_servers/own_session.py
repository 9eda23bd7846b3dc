"""Sessions of our own, opened with the application's driver."""

from __future__ import annotations

from abc import ABC
from abc import abstractmethod
from collections.abc import Callable
from collections.abc import Coroutine
from contextlib import closing
from contextlib import suppress
from typing import TYPE_CHECKING
from typing import Any
from typing import Generic
from typing import Protocol
from typing import TypeVar

if TYPE_CHECKING:
    import asyncio

Rows = list[tuple[Any, ...]]


class OwnSession(Protocol):
    """Runs complete statements: no parameters, committed at once."""

    def run(self, statement: str) -> Rows:
        """Run one statement, or several where the server allows it; return the last rows."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class DriverSession:
    """A session through any driver that follows DB-API 2."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        _switch_to_autocommit(connection)

    def run(self, statement: str) -> Rows:
        """Run a statement on its own cursor."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(statement)
            # mysqlclient gives an empty description to a statement without rows.
            return [tuple(row) for row in cursor.fetchall()] if cursor.description else []

    def close(self) -> None:
        """Close the connection; the server may have closed it already."""
        with suppress(Exception):
            self._connection.close()


class SimpleSession:
    """A session of pg8000 by PostgreSQL's simple protocol, in which percent signs are plain."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, statement: str) -> Rows:
        """Run a statement, or several."""
        return [tuple(row) for row in self._connection.execute_simple(statement).rows or ()]

    def close(self) -> None:
        """Close the connection; the server may have closed it already."""
        with suppress(Exception):
            self._connection.close()


class AsynchronousSession:
    """A session of asyncpg, on its own event loop.

    Few applications load `asyncio`, so it is imported here, where they have loaded it.
    """

    def __init__(
        self, opening: Callable[[asyncio.AbstractEventLoop], Coroutine[Any, Any, Any]]
    ) -> None:
        import asyncio

        self._loop = asyncio.new_event_loop()
        self._connection = self._result_of(opening(self._loop))

    def run(self, statement: str) -> Rows:
        """Run a statement; several statements return no rows."""
        if ";" in statement.rstrip().rstrip(";"):
            self._result_of(self._connection.execute(statement))
            return []
        rows = self._result_of(self._connection.fetch(statement))
        return [tuple(row) for row in rows]

    def close(self) -> None:
        """Close the connection, then the loop."""
        with suppress(Exception):
            self._result_of(self._connection.close(timeout=1))
        self._loop.close()

    def _result_of(self, waiting: Coroutine[Any, Any, Any]) -> Any:
        """Run the loop until `waiting` is done; in a thread when another loop runs here."""
        from asyncio import _get_running_loop
        from concurrent.futures import ThreadPoolExecutor

        if _get_running_loop() is None:
            return self._loop.run_until_complete(waiting)
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self._loop.run_until_complete, waiting).result()


def _switch_to_autocommit(connection: Any) -> None:
    """Commit each statement at once: drivers have an attribute or a method for this."""
    switch = getattr(connection, "autocommit", None)
    if callable(switch):
        switch(True)
    else:
        connection.autocommit = True


class Closable(Protocol):
    """A session of any server."""

    def close(self) -> None:
        """Close the connection."""
        ...


_Session = TypeVar("_Session", bound=Closable)


class KeptThroughSession(ABC, Generic[_Session]):
    """Keeps a database through a session of our own, which is opened at the snapshot."""

    def __init__(self, open_session: Callable[[], _Session]) -> None:
        self._open = open_session
        self._session: _Session | None = None

    @abstractmethod
    def restore(self) -> None:
        """Restore the kept state."""

    def close(self) -> None:
        """Restore everything for the last time, remove the copy, and close the connection."""
        session = self._session
        if session is None:
            return
        try:
            self.restore()
            self._remove_copy(session)
        finally:
            self._session = None
            session.close()

    def abandon(self) -> object:
        """Open a new session in a forked process; return the one of its parent."""
        inherited = self._session
        if inherited is not None:
            self._session = self._open()
            self._prepare_again(self._session)
        return inherited

    @abstractmethod
    def _remove_copy(self, session: _Session) -> None:
        """Remove what a snapshot has left on the server."""

    @abstractmethod
    def _prepare_again(self, session: _Session) -> None:
        """Prepare a new session."""
