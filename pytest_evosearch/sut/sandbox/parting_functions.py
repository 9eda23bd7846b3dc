"""Runs what an application registers for the end of the interpreter inside the sandbox.

`atexit` would call it when the sandbox is gone, and what it writes then goes to the project.  So
its functions are kept while the sandbox lasts, and called at its end, the last one first, as
`atexit` does it.  What handlers register during the search is called, too, once each.  Functions of
the standard library (`weakref`, `logging`, `concurrent.futures`) and of pytest are left to it.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import Protocol

from pytest_evosearch.errors import CutOff
from pytest_evosearch.sut.alarm import cut_off_after

Parting = tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]

MOST = 1000
"""Functions that are kept: handlers that register one are called many thousand times."""


SECONDS = 3.0
"""For all of them: a user waits for the end of the run."""


class DoesNotEnd(CutOff):
    """A function takes too long."""


class Ownership(Protocol):
    """What is asked whose functions are."""

    def is_ours(self) -> bool:
        """Say whether pytest or pytest-evosearch is acting."""
        ...


@contextmanager
def own_parting(
    guard: Ownership, tell: Callable[[BaseException], None] = lambda _failure: None
) -> Iterator[None]:
    """Keep what is registered inside the block, and call it at its end.

    Each exception that it raises is told: `atexit` would print it and go on.  One that does not end
    is cut off and told.
    """
    real_register, real_unregister = atexit.register, atexit.unregister
    kept: list[Parting] = []

    def register(function: Any, /, *arguments: Any, **keywords: Any) -> Any:
        if guard.is_ours() or _is_of_library(sys._getframe(1).f_globals.get("__name__", "")):
            return real_register(function, *arguments, **keywords)
        if callable(function) and len(kept) < MOST:
            kept.append((function, arguments, keywords))
        return function

    def unregister(function: Any, /) -> None:
        kept[:] = [parting for parting in kept if parting[0] is not function]
        real_unregister(function)

    atexit.register, atexit.unregister = register, unregister
    try:
        yield
    finally:
        atexit.register, atexit.unregister = real_register, real_unregister
        _call(kept, tell)


def _call(kept: list[Parting], tell: Callable[[BaseException], None]) -> None:
    """Call all functions, the last one first, as far as there is time."""
    function: Callable[..., object] = _call
    try:
        with cut_off_after(SECONDS, DoesNotEnd):
            while kept:
                function, arguments, keywords = kept.pop()
                try:
                    function(*arguments, **keywords)
                except (KeyboardInterrupt, DoesNotEnd):
                    raise
                except SystemExit:
                    continue
                except BaseException as failure:
                    tell(failure)
    except DoesNotEnd as late:
        name = getattr(function, "__qualname__", "it")
        told = DoesNotEnd(f"{name} did not end within {SECONDS:g} s")
        tell(told.with_traceback(late.__traceback__))


def _is_of_library(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names
