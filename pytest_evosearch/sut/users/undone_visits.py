"""Asks an application before the search without leaving anything in its state.

A page may be ``GET /createdb``: what it makes would be there at the start of every test of the
search, and at the start of none that is written.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.state.reset import CombinedKeeper
from pytest_evosearch.sut.state.reset import choose_keeper


@contextmanager
def undone_visits(app: Any, visit: Visit, modules: Iterable[ModuleType]) -> Iterator[Visit]:
    """Give a `visit` whose calls all find `app` as it is now, and leave it so.

    `modules` are the application's own.
    """
    keepers: list[CombinedKeeper] = []

    def undone(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not keepers:  # looking for all state takes longer than asking most applications
            keepers.append(choose_keeper(app, modules))
            keepers[0].snapshot()
        try:
            return visit(function, *args, **kwargs)
        finally:
            keepers[0].restore()

    try:
        yield undone
    finally:
        for keeper in keepers:
            keeper.close()
