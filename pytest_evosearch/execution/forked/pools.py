"""Gives each fork pools of its own, of processes and of threads.

The queues of an existing pool are pipes and locks, which a fork shares with its parent. A fork that
used them would take the parent's results, and its workers would keep the locks when they are ended.
The threads that serve a pool do not exist in a fork, so it would wait for results for ever.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from collections.abc import Iterable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from pytest_evosearch.core.isolation import gc


def _renew_executor_of_processes(pool: Any) -> None:
    given = (pool._max_workers, pool._mp_context, pool._initializer, pool._initargs)
    most = getattr(pool, "_max_tasks_per_child", None)
    further = {} if most is None else {"max_tasks_per_child": most}
    kind: Any = sys.modules["concurrent.futures.process"]
    kind.ProcessPoolExecutor.__init__(pool, *given, **further)


def _renew_executor_of_threads(pool: Any) -> None:
    pool._work_queue = SimpleQueue()
    pool._idle_semaphore = threading.Semaphore(0)
    pool._threads = set()


def _renew_pool(pool: Any) -> None:
    kind: Any = sys.modules["multiprocessing.pool"]
    given = (pool._processes, pool._initializer, pool._initargs)
    if isinstance(pool, kind.ThreadPool):
        kind.ThreadPool.__init__(pool, *given)
    else:
        kind.Pool.__init__(pool, *given, pool._maxtasksperchild, pool._ctx)


def _renewals() -> list[tuple[type, Callable[[Any], None]]]:
    """Return the imported kinds of pools, each with the function that renews it."""
    found = (
        (
            _imported("concurrent.futures.process", "ProcessPoolExecutor"),
            _renew_executor_of_processes,
        ),
        (_imported("concurrent.futures.thread", "ThreadPoolExecutor"), _renew_executor_of_threads),
        (_imported("multiprocessing.pool", "Pool"), _renew_pool),
    )
    return [(kind, how) for kind, how in found if kind is not None]


def _imported(module: str, name: str) -> type | None:
    return getattr(sys.modules.get(module), name, None)


def pools_of_application() -> list[Any]:
    """Return the pools that accept work."""
    kinds = tuple(kind for kind, _how in _renewals())
    found = [one for one in gc.get_objects() if issubclass(type(one), kinds)]
    return [one for one in found if _takes_work(one)]


def _takes_work(pool: Any) -> bool:
    attributes = vars(pool)
    is_over = attributes.get("_shutdown") or attributes.get("_shutdown_thread")
    return not is_over and attributes.get("_state", "RUN") == "RUN"


def renew(pools: Iterable[Any]) -> None:
    """Give pools new queues, and new threads where the pool does not start them when needed."""
    for pool in pools:
        with suppress(Exception):  # these attributes are private
            next(how for kind, how in _renewals() if isinstance(pool, kind))(pool)
