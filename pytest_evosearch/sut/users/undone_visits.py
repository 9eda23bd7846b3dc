"""Sends requests to an application before the search, without an effect on its state.

A page may be ``GET /createdb``. Its effects would exist at the start of every test in the search,
but not of a written test.
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

HAD_REQUESTS = "_got_first_request"
"""Attribute that says whether Flask still lets extensions be set up."""


@contextmanager
def undone_visits(app: Any, visit: Visit, modules: Iterable[ModuleType]) -> Iterator[Visit]:
    """Yield a `visit` whose calls start from the present state of `app`, and restore it.

    `modules` are the application's own.
    """
    keepers: list[CombinedKeeper] = []
    had_requests = vars(app).get(HAD_REQUESTS)

    def undone(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not keepers:  # finding all state takes longer than calling most applications
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
        if had_requests is not None:
            setattr(app, HAD_REQUESTS, had_requests)
