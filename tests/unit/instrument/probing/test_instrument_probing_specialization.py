from __future__ import annotations

import functools
import gc
import pickle
import types
from collections.abc import Callable
from typing import Any

import pytest

from pytest_evosearch.instrument.probing.slots import ProbeSlots

SOURCE = """\
def plain(n):
    if n > 3 and n != 7:
        return "big"
    for i in range(n):
        pass
    return "small"

def outer(factor):
    def inner(n):
        if n == 5:
            return factor
        return n * factor
    return inner

class Thing:
    @property
    def size(self):
        return 1 if self else 2
    def count(self):
        yield from (i for i in range(4) if i != 2)
"""


@pytest.fixture
def subject(load_instrumented: Callable[..., Any]) -> Any:
    return load_instrumented(SOURCE)


def probes_in(code: types.CodeType) -> int:
    """Count the slots that a function's code refers to, nested code included."""
    nested = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    slots = next((c for c in code.co_consts if isinstance(c, ProbeSlots)), None)
    own = len(set(code.co_names) & set(type(slots).__slots__)) if slots is not None else 0
    return own + sum(map(probes_in, nested))


def covered_by(subject: Any, function: Callable[..., Any], *arguments: Any) -> set[str]:
    subject.recording.begin()
    function(*arguments)
    scores = subject.recording.end().scores
    return {target for target, score in scores.items() if score == 1.0}


def test_covered_code_loses_its_probes_and_uncovered_code_keeps_them(subject: Any) -> None:
    function = subject.module.plain
    before = probes_in(function.__code__)
    subject.recording.retire(covered_by(subject, function, 2))
    subject.recording.respecialize()
    between = probes_in(function.__code__)
    subject.recording.retire(covered_by(subject, function, 5) | covered_by(subject, function, 7))
    subject.recording.respecialize()

    assert before > between > probes_in(function.__code__) == 0
    assert (function(2), function(5), function(7)) == ("small", "big", "small")


def test_code_that_only_the_start_has_run_keeps_its_probes(subject: Any) -> None:
    function = subject.module.plain
    function(2)  # as an import does: in no test
    assert subject.recording.retire_background()
    before = function.__code__
    subject.recording.respecialize()
    assert function.__code__ is before

    subject.recording.retire(covered_by(subject, function, 5))
    subject.recording.respecialize()
    assert function.__code__ is not before


def test_what_is_left_is_still_recorded(subject: Any) -> None:
    subject.recording.retire(covered_by(subject, subject.module.plain, 2))
    subject.recording.respecialize()

    assert "line subject.py:3" in covered_by(subject, subject.module.plain, 9)


def test_closures_methods_and_wrapped_functions_are_found(subject: Any) -> None:
    wrapped = functools.wraps(subject.module.plain)(functools.partial(subject.module.plain, 2))
    closure = subject.module.outer(3)
    thing = subject.module.Thing()
    running = thing.count()
    next(running)

    def everything() -> None:
        wrapped()
        [closure(n) for n in (5, 6)]
        assert thing.size == 1
        assert list(thing.count()) == [0, 1, 3]

    subject.recording.retire(subject.recording.catalog.targets())
    subject.recording.respecialize()
    everything()

    functions = [closure, subject.module.plain, subject.module.Thing.size.fget]
    assert [probes_in(function.__code__) for function in functions] == [0, 0, 0]
    assert subject.module.outer(2)(5) == 2
    assert list(running) == [1, 3]


def test_a_full_test_brings_everything_back(subject: Any) -> None:
    def full() -> set[str]:
        subject.recording.begin(full=True)
        subject.module.plain(2)
        return set(subject.recording.end().scores)

    before = full()
    subject.recording.begin()
    subject.recording.end()
    subject.recording.retire(subject.recording.catalog.targets())
    subject.recording.respecialize()
    assert covered_by(subject, subject.module.plain, 2) == set()

    assert full() == before
    subject.recording.begin()
    subject.recording.end()
    subject.recording.respecialize()
    assert probes_in(subject.module.plain.__code__) == 0


def test_twice_changes_nothing(subject: Any) -> None:
    subject.recording.respecialize()
    code = subject.module.plain.__code__
    subject.recording.respecialize()

    assert subject.module.plain.__code__ is code


def test_code_that_the_application_keeps_is_left_alone(subject: Any) -> None:
    kept = {subject.module.plain.__code__}
    subject.recording.retire(subject.recording.catalog.targets())
    subject.recording.respecialize()

    assert subject.module.plain.__code__ in kept
    assert probes_in(subject.module.Thing.count.__code__) == 0


def test_only_code_that_somebody_else_holds_is_searched_for(
    subject: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`gc.get_referrers` takes time for every reference of the heap times every code."""
    kept = {subject.module.plain.__code__}
    asked: list[tuple[object, ...]] = []
    search = gc.get_referrers

    def recorded(*objects: object) -> list[Any]:
        asked.append(objects)
        return search(*objects)

    monkeypatch.setattr(gc, "get_referrers", recorded)
    closure = subject.module.outer(3)
    subject.recording.retire(subject.recording.catalog.targets())
    subject.recording.respecialize()

    assert asked == [tuple(kept)]
    assert probes_in(closure.__code__) == 0


WATCHED = """\
def search(limit):
    found = []
    for i in range(limit):
        if i == 7000 or i < -3:
            found.append(i)
        found.extend(x for x in (i,) if x == 800)
        if not (i != 900 and i >= 0):
            found.append(-i)
    return found
"""


def test_code_watches_for_the_side_that_is_left(load_instrumented: Callable[..., Any]) -> None:
    subject = load_instrumented(WATCHED)
    search = subject.module.search
    subject.recording.retire(covered_by(subject, search, 20))
    subject.recording.respecialize()
    slots = next(c for c in search.__code__.co_consts if isinstance(c, ProbeSlots))
    subject.recording.begin()
    assert search(700) == []
    asleep = {name: getattr(slots, name) for name in ("c0", "c1", "c2", "c3")}
    assert search(1000) == [800, -900]
    scores = subject.recording.end().scores

    assert set(asleep.values()) == {None}
    assert {target for target, score in scores.items() if score == 1.0} == {
        "branch subject.py:6 true",
        "branch subject.py:7 true",
        "branch subject.py:7#2 false",
        "line subject.py:8",
    }
    assert scores["branch subject.py:4#2 true"] < 1


def test_distances_come_back_with_every_test(load_instrumented: Callable[..., Any]) -> None:
    subject = load_instrumented(WATCHED)
    search = subject.module.search
    subject.recording.retire(covered_by(subject, search, 20))
    subject.recording.respecialize()
    scores = []
    for _ in range(2):
        subject.recording.begin()
        search(100)
        scores.append(subject.recording.end().scores)

    assert scores[0] == scores[1]
    assert scores[0]["branch subject.py:4 true"] > 0


def test_watching_code_survives_pickling_by_value_and_the_end(
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented(WATCHED)
    search = subject.module.search
    subject.recording.retire(covered_by(subject, search, 20))
    subject.recording.respecialize()
    slots = next(c for c in search.__code__.co_consts if isinstance(c, ProbeSlots))
    copied = pickle.loads(pickle.dumps(slots))
    code = search.__code__.replace(
        co_consts=tuple(copied if each is slots else each for each in search.__code__.co_consts)
    )
    subject.recording.uninstall()

    assert search(1000) == [800, -900]
    assert types.FunctionType(code, {})(1000) == [800, -900]


def test_a_full_test_sees_both_sides_again(load_instrumented: Callable[..., Any]) -> None:
    subject = load_instrumented(WATCHED)
    search = subject.module.search
    expected = covered_by(subject, search, 20)
    subject.recording.retire(expected)
    subject.recording.respecialize()
    subject.recording.begin(full=True)
    search(20)
    scores = subject.recording.end().scores

    assert {target for target, score in scores.items() if score == 1.0} == expected
