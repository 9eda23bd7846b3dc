from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_evosearch.execution import started_work
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.started_work import KnownThreads
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


def test_the_work_of_a_pool_is_waited_for_a_moment(watch):
    done = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: time.sleep(0.05) or done.set())
        watch.work.settle()
        assert done.is_set()


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
        assert len(watch.work.known.lasting) == 1
    finally:
        release.set()


def test_the_crash_of_a_thread_of_an_earlier_test_is_no_failure(watch):
    release = threading.Event()

    def fail_later() -> None:
        release.wait(30)
        crash()

    thread = threading.Thread(target=fail_later)
    thread.start()
    watch.work.begin()
    release.set()
    thread.join(30)
    assert told(watch) == []


CHANGES = "leaves a thread running that changes shop.STOCK"


class State:
    """State of an application that threads write to."""

    def __init__(self) -> None:
        self.changed = False
        self.looks = 0
        self.release = threading.Event()

    def put_back(self) -> list[str]:
        self.looks += 1
        places = ["shop.STOCK"] if self.changed else []
        self.changed = False
        return places

    def write_forever(self) -> None:
        while not self.release.is_set():
            self.changed = True
            time.sleep(0.005)

    def wait(self) -> None:
        self.release.wait(30)

    def fail_without_state(self) -> None:
        while not self.looks:
            time.sleep(0.005)
        raise KeyError("stock")


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take each thread that does not end at once for one without end."""
    monkeypatch.setattr(started_work, "ENDS_SOON_SECONDS", 0.02)


@pytest.fixture
def state() -> Iterator[State]:
    made = State()
    yield made
    made.release.set()


def test_a_thread_that_goes_on_changing_state_is_told(watch, state):
    threading.Thread(target=state.write_forever).start()
    assert watch.effects.found(state.put_back) == (CHANGES,)


def test_a_kind_of_thread_is_looked_at_until_it_is_known(watch, state):
    for _ in range(2):
        threading.Thread(target=state.write_forever).start()
        assert watch.effects.found(state.put_back) == (CHANGES,)
        looks = state.looks
    assert watch.effects.found(state.put_back) == (CHANGES,)
    assert state.looks == looks


def test_a_thread_that_changes_nothing_is_trusted_after_some_looks(watch, state, monkeypatch):
    monkeypatch.setattr(started_work, "LOOKED_AT_SECONDS", 0.05)
    threading.Thread(target=state.wait).start()
    for _ in range(started_work.LOOKS):
        assert watch.effects.found(state.put_back) == ()
    looks = state.looks
    assert watch.effects.found(state.put_back) == ()
    assert state.looks == looks


def test_a_thread_that_fails_without_its_state_is_told(watch, state):
    threading.Thread(target=state.fail_without_state).start()
    assert watch.effects.found(state.put_back) == (started_work.FAILS,)


def test_a_thread_that_changes_state_ends_with_its_test(watch, state):
    thread = threading.Thread(target=state.write_forever)
    thread.start()
    watch.effects.found(state.put_back)
    watch.effects.end()
    thread.join(30)
    assert not thread.is_alive()
    assert not state.release.is_set()


class ShortJob:
    """A job that writes for a while, and then ends."""

    def __init__(self, state: State, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(started_work, "ENDS_SOON_SECONDS", 20.0)
        self.state = state
        self.steps = 0

    def write(self) -> None:
        self.state.changed = True
        self.state.release.wait(0.1)
        self.state.changed = True
        self.steps += 1
        while self.steps > 1:  # ends by what is raised in it, if at all
            time.sleep(0.005)


def test_a_thread_that_ends_soon_is_waited_for(watch, state, monkeypatch):
    job = ShortJob(state, monkeypatch)
    threading.Thread(target=job.write).start()
    assert watch.effects.found(state.put_back) == ()
    assert watch.effects.is_waited_for
    assert (job.steps, state.looks) == (1, 0)  # nothing is taken from under it


def test_a_thread_that_is_known_to_end_soon_ends_with_its_test(watch, state, monkeypatch):
    job = ShortJob(state, monkeypatch)
    threading.Thread(target=job.write).start()
    watch.effects.found(state.put_back)
    second = threading.Thread(target=job.write)
    second.start()
    assert watch.effects.found(state.put_back) == ()
    assert watch.effects.is_waited_for
    watch.effects.end()
    second.join(30)
    assert not second.is_alive()


def test_what_several_kinds_of_threads_do_is_remembered_for_them_together(watch, state):
    for looks in (True, False):
        before = state.looks
        threading.Thread(target=state.wait).start()
        threading.Thread(target=state.write_forever).start()
        assert watch.effects.found(state.put_back) == (CHANGES,)
        assert (state.looks > before) is looks
        watch.work.begin()


def test_a_thread_that_changes_nothing_goes_on(watch, state):
    thread = threading.Thread(target=state.wait)
    thread.start()
    watch.effects.end()
    thread.join(0.05)
    assert thread.is_alive()


def test_of_several_kinds_of_threads_none_is_blamed_for_good(watch, state):
    threading.Thread(target=state.wait).start()
    threading.Thread(target=state.write_forever).start()
    assert watch.effects.found(state.put_back) == (CHANGES,)
    state.release.set()
    watch.work.settle()
    state.release.clear()
    watch.work.begin()
    threading.Thread(target=state.wait).start()
    assert watch.effects.found(state.put_back) == ()


def test_what_a_fork_has_found_out_about_threads_is_known_in_the_next(watch, state):
    threading.Thread(target=state.write_forever).start()
    watch.work.settle()
    watch.effects.found(state.put_back)
    told = pickle.loads(pickle.dumps(watch.work.known))
    looks = state.looks

    watch.work.known = KnownThreads()
    watch.work.known.adopt(told)

    assert watch.effects.found(state.put_back) == (CHANGES,)
    assert state.looks == looks
    assert len(watch.work.known.lasting) == 1


def test_few_threads_of_a_kind_that_tests_have_left_go_on(watch, state):
    started = []
    for _ in range(started_work.MOST_LEFT + 2):
        watch.work.begin()
        started.append(threading.Thread(target=state.write_forever))
        started[-1].start()
    watch.work.begin()
    for thread in started[:2]:
        thread.join(30)
    assert [one.is_alive() for one in started] == [False] * 2 + [True] * started_work.MOST_LEFT


def test_threads_are_let_end_but_for_those_that_are_known_to_last(watch, state, monkeypatch):
    job = ShortJob(state, monkeypatch)
    lasting = threading.Thread(target=state.wait)
    lasting.start()
    watch.work.known.ends_soon[started_work.kind_of(lasting)] = False
    threading.Thread(target=job.write).start()
    watch.work.let_end()
    assert watch.work.running() == [lasting]
