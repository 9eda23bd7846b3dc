from __future__ import annotations

import gc
import sys
from types import SimpleNamespace

import pytest

from pytest_evosearch.execution.garbage import FIRST_FULL_COLLECTION
from pytest_evosearch.execution.garbage import MIDDLE_GENERATION_EVERY
from pytest_evosearch.execution.garbage import GarbageCollector


class Forgotten:
    """Something in a cycle that complains when it is collected."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        raise ResourceWarning("unclosed")


def test_what_the_application_forgot_troubles_nobody() -> None:
    hook = sys.unraisablehook
    garbage = GarbageCollector()
    with garbage.installed():
        assert not gc.isenabled()
        Forgotten()
        garbage.after_refusal()
        Forgotten()
    assert sys.unraisablehook is hook
    assert gc.isenabled()


def test_garbage_of_the_last_test_is_gone_before_the_next() -> None:
    collected: list[int] = []

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            collected.append(1)

    garbage = GarbageCollector()
    with garbage.installed():
        Cycle()
        assert collected == []
        garbage.before_test()
        assert collected == [1]


def test_a_handler_that_collects_garbage_gets_what_is_young() -> None:
    collected: list[str] = []

    class Cycle:
        def __init__(self, name: str) -> None:
            self.itself = self
            self.name = name

        def __del__(self) -> None:
            collected.append(self.name)

    collect = gc.collect
    garbage = GarbageCollector()
    with garbage.installed():
        old = Cycle("old")
        garbage.before_test()
        Cycle("young")
        del old
        assert gc.collect() > 0
        assert collected == ["young"]
        with pytest.raises(ValueError, match="generation"):
            gc.collect(-1)
    assert collected == ["young", "old"]
    assert gc.collect is collect


def test_what_has_begun_collects_what_is_young_before_the_first_test() -> None:
    collected: list[str] = []

    class Cycle:
        def __init__(self, name: str) -> None:
            self.itself = self
            self.name = name

        def __del__(self) -> None:
            collected.append(self.name)

    garbage = GarbageCollector()
    with garbage.installed():
        old = Cycle("old")
        garbage.begin()
        Cycle("young")
        del old
        garbage.before_test()
        assert collected == ["young"]


def test_what_dies_late_is_collected_without_a_search_of_the_whole_heap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generations: list[int] = []
    stand_in = SimpleNamespace(collect=lambda generation=2: generations.append(generation))
    monkeypatch.setattr("pytest_evosearch.execution.garbage.gc", stand_in)
    garbage = GarbageCollector()

    for _ in range(2 * FIRST_FULL_COLLECTION + 1):
        garbage.before_test()

    full = [test for test, generation in enumerate(generations) if generation == 2]
    assert full == [0, FIRST_FULL_COLLECTION, 2 * FIRST_FULL_COLLECTION]
    assert generations.count(1) == 2 * FIRST_FULL_COLLECTION // MIDDLE_GENERATION_EVERY - 2
