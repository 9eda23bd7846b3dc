"""Finds asynchronous SQLAlchemy sessions, and uses them from synchronous code.

Each opening has an event loop of its own, like `asyncio.run` in the written test.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Coroutine
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING
from typing import Any
from typing import TypeVar

from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.rows.kinds import Held
from pytest_evosearch.sut.rows.kinds import Opening

if TYPE_CHECKING:
    import asyncio

_Result = TypeVar("_Result")


class SessionInLoop:
    """An asynchronous session with synchronous methods."""

    def __init__(self, session: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._session = session
        self._loop = loop

    def add(self, instance: object) -> None:
        """Add an object, which the next `flush` stores."""
        self._session.add(instance)

    def flush(self) -> None:
        """Store the added objects."""
        self._done(self._session.flush())

    def commit(self) -> None:
        """Commit."""
        self._done(self._session.commit())

    def rollback(self) -> None:
        """Undo everything since the last commit."""
        self._done(self._session.rollback())

    def execute(self, statement: Any) -> Any:
        """Return the result of a statement."""
        return self._done(self._session.execute(statement))

    def close(self) -> None:
        """Close the connection."""
        self._done(self._session.close())

    def _done(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return self._loop.run_until_complete(work)


def asynchronous_openings(held: Sequence[Held]) -> Iterator[Opening]:
    """Yield ways to an asynchronous session: session makers, and engines."""
    library = sys.modules.get("sqlalchemy.ext.asyncio")
    if library is None:
        return
    for one in held:
        if makes_asynchronous_sessions(one.value):
            yield _opening(one, f"{one.name}() as session", (), one.look_up)
    for one in held:
        if isinstance(one.value, library.AsyncEngine):
            imports = ("sqlalchemy.ext.asyncio.AsyncSession",)
            on_engine = partial(_on_engine, library.AsyncSession, one.look_up)
            yield _opening(one, f"AsyncSession({one.name}) as session", imports, on_engine)


def makes_asynchronous_sessions(value: object) -> bool:
    """Say whether calling a value returns an asynchronous session."""
    library = sys.modules.get("sqlalchemy.ext.asyncio")
    made = vars(value).get("class_") if hasattr(value, "__dict__") else None
    return (
        library is not None
        and not isinstance(value, type)
        and isinstance(made, type)
        and issubclass(made, library.AsyncSession)
    )


def _on_engine(kind: Callable[..., Any], look_up: Callable[[], Any]) -> Callable[[], Any]:
    return partial(kind, look_up())


def _opening(
    one: Held, context: str, imports: tuple[str, ...], look_up: Callable[[], Callable[[], Any]]
) -> Opening:
    own = (one.path,) if one.path else ()
    store = RowStore(
        name="session",
        imports=("asyncio", *own, *imports),
        contexts=(context,),
        ending=("await session.commit()",),
        asynchronous=True,
    )
    return Opening(store, partial(_in_loop, look_up))


@contextmanager
def _in_loop(look_up: Callable[[], Callable[[], Any]]) -> Iterator[SessionInLoop]:
    import asyncio  # here the application has loaded it

    loop = asyncio.new_event_loop()
    try:
        session = SessionInLoop(look_up()(), loop)
        try:
            yield session
        finally:
            session.close()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
