from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from pytest_evosearch.execution.forked.pools import pools_of_application
from pytest_evosearch.execution.forked.pools import renew

IN_A_FORK = """
import multiprocessing.pool, os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pytest_evosearch.execution.forked.pools import pools_of_application, renew

pool = {kind}(1)

def answer():
    if hasattr(pool, "submit"):
        return pool.submit(pow, 2, 5).result(10)
    return pool.apply_async(pow, (2, 5)).get(10)

answer()
pools = pools_of_application()
child = os.fork()
if child == 0:
    renew(pools)
    print(answer(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(answer(), flush=True)
os._exit(0)
"""


def test_a_pool_without_processes_gets_queues_of_its_own() -> None:
    pool = ProcessPoolExecutor(1)
    assert any(one is pool for one in pools_of_application())
    shared = pool._call_queue
    renew([pool])
    assert pool._call_queue is not shared
    assert pool._max_workers == 1
    pool.shutdown()


@pytest.mark.parametrize("kind", [ProcessPoolExecutor, ThreadPoolExecutor])
def test_a_pool_that_is_shut_down_is_left_alone(kind) -> None:
    pool = kind(1)
    pool.shutdown()
    assert not any(one is pool for one in pools_of_application())


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs a system with fork"
)
@pytest.mark.parametrize(
    "kind",
    [
        "ProcessPoolExecutor",
        "ThreadPoolExecutor",
        "multiprocessing.Pool",
        "multiprocessing.pool.ThreadPool",
    ],
)
def test_a_pool_that_was_used_before_answers_in_a_fork(kind: str, tmp_path) -> None:
    script = [sys.executable, "-W", "ignore", "-c", IN_A_FORK.format(kind=kind)]
    with (tmp_path / "answers").open("w") as answers:
        process = subprocess.Popen(script, stdout=answers, start_new_session=True)
        process.wait(60)
    with suppress(ProcessLookupError):  # of threads there are no workers
        os.killpg(process.pid, signal.SIGKILL)
    assert (tmp_path / "answers").read_text().split() == ["32", "32"]
