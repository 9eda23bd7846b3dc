"""Gives each fork pools of processes of its own.

A pool that the application has made, and not used yet, has its queues already: pipes and locks,
which a fork shares with the process that it comes from.  One that uses them takes the results of
the other, and its workers, ended with it, keep the locks for ever.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import gc


def unused_pools() -> list[Any]:
    """Return the pools of processes that have no process yet."""
    kind = getattr(sys.modules.get("concurrent.futures.process"), "ProcessPoolExecutor", None)
    if kind is None:
        return []
    found: list[Any] = [one for one in gc.get_objects() if issubclass(type(one), kind)]
    return [one for one in found if vars(one).get("_executor_manager_thread", kind) is None]


def renew(pools: Iterable[Any]) -> None:
    """Give unused pools new queues."""
    for pool in pools:
        with suppress(Exception):  # attributes that are no public ones
            kind: Any = sys.modules["concurrent.futures.process"]
            given = (pool._max_workers, pool._mp_context, pool._initializer, pool._initargs)
            most = getattr(pool, "_max_tasks_per_child", None)
            further = {} if most is None else {"max_tasks_per_child": most}
            kind.ProcessPoolExecutor.__init__(pool, *given, **further)
