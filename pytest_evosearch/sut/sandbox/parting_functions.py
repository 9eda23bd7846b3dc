"""Runs an application's `atexit` functions inside the sandbox.

`atexit` would call them after the sandbox, and they would write to the real project. So they are
kept, and called at the end of the sandbox in the order of `atexit`, the last one first. Functions
that handlers register during the search are called once each. Those of the standard library
(`weakref`, `logging`, `concurrent.futures`) and of pytest stay with `atexit`.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.errors import CutOff
from pytest_evosearch.sut.alarm import cut_off_after

Parting = tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]

MOST = 1000
"""Most functions that are kept: a handler that registers one is called thousands of times."""


SECONDS = 3.0
"""Seconds for all of them: a user waits for the end of the run."""


class DoesNotEnd(CutOff):
    """Says that a function takes too long."""


@contextmanager
def own_parting(
    is_ours: Callable[[], bool], report: Callable[[BaseException], None] = lambda _failure: None
) -> Iterator[None]:
    """Keep functions that the block registers, and call them at its end.

    `is_ours` says whether pytest or pytest-evosearch is acting.
    Each exception is passed to `report`: `atexit` would print it and go on. A function that does
    not end is cut off and reported.
    """
    real_register, real_unregister = atexit.register, atexit.unregister
    kept: list[Parting] = []

    def register(function: Any, /, *arguments: Any, **keywords: Any) -> Any:
        if is_ours() or _is_of_library(sys._getframe(1).f_globals.get("__name__", "")):
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
        _call(kept, report)


def _call(kept: list[Parting], report: Callable[[BaseException], None]) -> None:
    """Call all functions, the last one first, until the time is up."""
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
                    report(failure)
    except DoesNotEnd as late:
        name = getattr(function, "__qualname__", "it")
        failure_of_time = DoesNotEnd(f"{name} did not end within {SECONDS:g} s")
        report(failure_of_time.with_traceback(late.__traceback__))


def _is_of_library(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names
