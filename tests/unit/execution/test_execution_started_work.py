from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_evosearch.execution import started_work
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.threads import ThreadWatch


@pytest.fixture
def watch() -> Iterator[ThreadWatch]:
    current = CurrentCall()
    current.begin("POST /jobs")
    made = ThreadWatch(current)
    with made.installed(), made.failures.installed():
        yield made


def told(watch: ThreadWatch) -> list[tuple[str, str, str]]:
    return [(type(one.error).__name__, one.how, one.started_by) for one in watch.failures.take()]


def crash() -> None:
    raise ValueError("no")


def test_a_thread_that_crashes_is_told_with_the_call(watch):
    threading.Thread(target=crash).start()
    watch.work.settle()
    assert told(watch) == [("ValueError", "a thread", "POST /jobs")]


def test_a_timer_runs_at_the_end_of_its_test(watch):
    timer = threading.Timer(600, crash)
    timer.start()
    watch.work.settle()
    assert told(watch) == []
    watch.work.finish()
    assert told(watch) == [("ValueError", "a thread", "POST /jobs")]
    assert timer.finished.is_set()


def test_a_future_that_nothing_reads_is_told(watch):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(crash)
        watch.work.settle()
    watch.work.finish()
    assert told(watch) == [("ValueError", "a future that nothing reads", "POST /jobs")]


def test_a_future_that_is_read_or_kept_is_not_told(watch):
    with ThreadPoolExecutor(1) as pool:
        kept = pool.submit(crash)
        with pytest.raises(ValueError, match="no"):
            pool.submit(crash).result()
    watch.work.finish()
    assert told(watch) == []
    assert kept.done()


def test_a_thread_that_is_held_up_runs_after_the_test(watch, monkeypatch):
    monkeypatch.setattr(started_work, "HOLD_SECONDS", 5.0)
    done = threading.Event()
    with watch.work.held_up():
        thread = threading.Thread(target=done.set)
        thread.start()
        watch.work.settle()
        assert not done.is_set()
    thread.join(10)
    assert done.is_set()


def test_what_never_ends_is_waited_for_once(watch):
    release = threading.Event()
    try:
        for _ in range(2):
            threading.Thread(target=release.wait, args=(30,)).start()
            watch.work.settle()
        assert len(watch.work._lasting) == 1
    finally:
        release.set()
