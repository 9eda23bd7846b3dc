from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from pytest_evosearch.execution.forked.pools import renew
from pytest_evosearch.execution.forked.pools import unused_pools

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")


def test_a_pool_without_processes_gets_queues_of_its_own() -> None:
    pool = ProcessPoolExecutor(1)
    assert any(one is pool for one in unused_pools())
    shared = pool._call_queue
    renew([pool])
    assert pool._call_queue is not shared
    assert pool._max_workers == 1
    pool.shutdown()


def test_a_pool_that_is_at_work_is_left_alone() -> None:
    pool = ProcessPoolExecutor(1)
    pool._executor_manager_thread = object()
    assert not any(one is pool for one in unused_pools())
    pool._executor_manager_thread = None
    pool.shutdown()
