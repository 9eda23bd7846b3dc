"""What belongs to a test and what does not: threads, tasks, generators, greenlets; and memory."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

SOURCE = """\
def step(n):
    if n > 10:
        return "big"
    return "small"

def steps(numbers):
    for n in numbers:
        yield step(n)

async def wait(n, pause):
    await pause()
    return step(n)
"""
BIG = "line subject.py:3"
SMALL = "line subject.py:4"


@pytest.fixture
def subject(load_instrumented: Callable[..., Any]) -> Any:
    return load_instrumented(SOURCE)


def covered(trace: Any) -> set[str]:
    return {target for target, score in trace.scores.items() if score == 1.0}


def test_tasks_of_the_test_count_and_those_of_others_do_not(subject: Any) -> None:
    async def pause() -> None:
        await asyncio.sleep(0)

    async def view() -> list[str]:
        own = asyncio.create_task(subject.module.wait(1, pause))
        foreign = asyncio.get_running_loop().create_task
        context = contextvars.Context()
        other = context.run(foreign, subject.module.wait(99, pause))
        return [await own, await other]

    subject.recording.begin()
    assert subject.recording.run(asyncio.run, view()) == ["small", "big"]
    trace = covered(subject.recording.end())

    assert SMALL in trace
    assert BIG not in trace
    assert BIG in subject.recording.background()


def test_a_pool_made_before_the_test_is_background(subject: Any) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        subject.recording.begin()
        subject.recording.run(lambda: pool.submit(subject.module.step, 99).result())
        trace = subject.recording.end()

    assert trace.scores == {}


def test_a_thread_of_an_earlier_test_does_not_count_for_the_next(subject: Any) -> None:
    go, context = threading.Event(), []

    def late() -> None:
        go.wait(5)
        subject.module.step(99)

    def view() -> None:
        context.append(contextvars.copy_context())

    subject.recording.begin()
    subject.recording.run(view)
    subject.recording.end()
    thread = threading.Thread(target=context[0].run, args=(late,))
    thread.start()
    subject.recording.begin()
    subject.recording.run(subject.module.step, 1)
    go.set()
    thread.join()
    trace = covered(subject.recording.end())

    assert SMALL in trace
    assert BIG not in trace


def test_a_generator_counts_for_who_advances_it(subject: Any) -> None:
    numbers = subject.module.steps([1, 99])
    subject.recording.begin()
    subject.recording.run(next, numbers)
    first = covered(subject.recording.end())
    subject.recording.begin()
    subject.recording.run(next, numbers)
    second = covered(subject.recording.end())

    assert SMALL in first
    assert BIG not in first
    assert BIG in second


def test_what_a_finalizer_runs_between_tests_is_background(subject: Any) -> None:
    class Closing:
        def __del__(self) -> None:
            subject.module.step(99)

    subject.recording.begin()
    holder = [subject.recording.run(Closing)]
    subject.recording.end()
    holder.clear()
    subject.recording.begin()
    trace = subject.recording.end()

    assert trace.scores == {}
    assert BIG in subject.recording.background()


def test_greenlets_of_the_test_do_not_count_unless_their_context_is_its_own(subject: Any) -> None:
    greenlet = pytest.importorskip("greenlet")

    def view() -> None:
        inside = greenlet.greenlet(subject.module.step)
        inside.gr_context = contextvars.copy_context()
        inside.switch(1)
        greenlet.greenlet(subject.module.step).switch(99)

    subject.recording.begin()
    subject.recording.run(view)
    trace = covered(subject.recording.end())

    assert SMALL in trace
    assert BIG not in trace


def test_concurrent_threads_of_one_test_are_all_counted(subject: Any) -> None:
    def view() -> None:
        threads = [
            threading.Thread(
                target=contextvars.copy_context().run, args=(subject.module.step, number)
            )
            for number in (1, 99) * 8
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    subject.recording.begin()
    subject.recording.run(view)

    assert {SMALL, BIG} <= covered(subject.recording.end())


def test_memory_does_not_grow_with_the_number_of_tests(subject: Any) -> None:
    def tests(count: int, offset: int) -> None:
        for number in range(count):
            subject.recording.begin(full=number % 7 == 0)
            subject.recording.run(subject.module.step, number % 20 + offset)
            trace = subject.recording.end()
            subject.recording.retire([t for t, s in trace.scores.items() if s == 1.0])
            if number % 100 == 0:
                subject.recording.respecialize()

    tracemalloc.start()
    tests(600, 0)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    tests(1500, 0)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert after - before < 20_000
