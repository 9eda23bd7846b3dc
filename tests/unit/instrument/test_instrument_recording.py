from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import Any

import pytest

from pytest_evosearch.instrument import Comparison
from pytest_evosearch.instrument import Trace
from pytest_evosearch.instrument.probing.slots import ProbeSlots

SOURCE = """\
def classify(n, code):
    if n > 10 and code == "SAVE":
        return "big"
    for i in range(n):
        if i == 7:
            return "seven"
    return "small"

TABLE = {"a": 1}
"""


@pytest.fixture
def subject(load_instrumented: Callable[..., Any]) -> Any:
    return load_instrumented(SOURCE)


def record(subject: Any, *arguments: Any, full: bool = False) -> Trace:
    subject.recording.begin(full=full)
    subject.recording.run(subject.module.classify, *arguments)
    return subject.recording.end()


def covered(trace: Trace) -> set[str]:
    return {target for target, score in trace.scores.items() if score == 1.0}


def test_a_test_is_credited_with_what_it_executes(subject: Any) -> None:
    trace = record(subject, 2, "x")

    assert covered(trace) == {
        "line subject.py:2",
        "branch subject.py:2 false",
        "branch subject.py:2#2 false",
        "line subject.py:4",
        "branch subject.py:4 entered",
        "branch subject.py:4 exhausted",
        "line subject.py:5",
        "branch subject.py:5 false",
        "line subject.py:7",
    }
    assert trace.score("branch subject.py:5 true") == pytest.approx(0.1 + 0.9 / 7)


def test_the_conjunction_is_the_mean_of_its_operands(subject: Any) -> None:
    first_fails = record(subject, 9, "x")
    second_fails = record(subject, 30, "SAVF")

    assert first_fails.score("branch subject.py:2 true") == pytest.approx(1 / 2.1 / 2)
    expected = (1 + (0.1 + 0.9 / 2)) / 2
    assert second_fails.score("branch subject.py:2 true") == pytest.approx(expected)


def test_retired_targets_leave_the_trace_and_full_mode_brings_them_back(subject: Any) -> None:
    first = record(subject, 2, "x")
    subject.recording.retire(covered(first))

    again = record(subject, 2, "x")
    full = record(subject, 2, "x", full=True)
    once_more = record(subject, 2, "x", full=True)
    delta = record(subject, 2, "x")

    assert covered(again) == set()
    assert again.score("branch subject.py:5 true") == first.score("branch subject.py:5 true")
    assert full.scores == once_more.scores == first.scores
    assert delta.scores == again.scores


def test_an_unretired_target_is_seen_by_every_test(subject: Any) -> None:
    assert record(subject, 2, "x").scores == record(subject, 2, "x").scores


def test_retired_probes_are_dead(subject: Any) -> None:
    subject.recording.retire(subject.recording.catalog.targets())
    subject.recording.begin()
    subject.recording.end()

    slots = subject.module.classify.__code__.co_consts
    probes = next(each for each in slots if isinstance(each, ProbeSlots))

    assert {getattr(probes, name) for name in probes.owner.dead(probes.unit)} == {None}


MANY = "('get', 'set', 'start', 'stop', 'skip', 'add', 'clear', 'remove', 'shuffle', 'gain')"


@pytest.mark.parametrize("operation", ["in", "not in"])
def test_retired_probes_of_long_literals_are_dead(
    load_instrumented: Callable[..., Any], operation: str
) -> None:
    source = f"""
def classify(action):
    if action {operation} {MANY}:
        return 1
    return action {operation} {MANY}
"""
    subject = load_instrumented(source)
    subject.recording.retire(subject.recording.catalog.targets())
    subject.recording.begin()

    known, unknown = (subject.recording.run(subject.module.classify, one) for one in ("add", "x"))

    subject.recording.end()
    assert (known, unknown) == ((1, False) if operation == "in" else (False, 1))


def test_hints_name_both_operands_of_a_failing_equality(subject: Any) -> None:
    trace = record(subject, 30, "SAVX")

    assert Comparison("branch subject.py:2#3 true", "==", "SAVX", "SAVE") in trace.comparisons


def test_hints_are_bounded(subject: Any) -> None:
    trace = record(subject, 6, "x")

    assert [c.observed for c in trace.comparisons if c.wanted == 7] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a in ('x', 'y')", ("in", "q", ("x", "y"))),
        ("return a in {'y', 'x'}", ("in", "q", ("x", "y"))),
        ("return a not in {'k': 1}", ("in", "q", ("k",))),
        ("return a in 'xyz'", ("in", "q", "xyz")),
        ("return a.startswith('pre')", ("startswith", "q", "pre")),
        ("return a.endswith(('b', 'c'))", ("endswith", "q", ("b", "c"))),
        ("return re.match('z+', a)", ("match", "q", "z+")),
        ("return PATTERN.fullmatch(a)", ("match", "q", "[0-9]+")),
        ("return int(a)", ("parse", "q", "int")),
        ("return date.fromisoformat(a)", ("parse", "q", "date.fromisoformat")),
        ("return KEYS[a]", ("key", "q", ("k",))),
        ("return KEYS.get(a)", ("key", "q", ("k",))),
        ("return a == b", ("==", "q", 5)),
        ("return b == a", ("==", "q", 5)),
        ("return a.isdigit()", ("isdigit", "q", None)),
        ("return a > 'r'", (">", "q", "r")),
        ("return 'r' < a", (">", "q", "r")),
    ],
)
def test_each_relation_gives_its_hint(
    body: str, expected: tuple[str, object, object], load_instrumented: Callable[..., Any]
) -> None:
    source = (
        "import re\nfrom datetime import date\nKEYS = {'k': 1}\nPATTERN = re.compile('[0-9]+')\n"
    )
    subject = load_instrumented(f"{source}def f(a, b):\n    {body}\n")
    subject.recording.begin()
    with contextlib.suppress(ValueError, KeyError):
        subject.module.f("q", 5)
    hints = subject.recording.end().comparisons

    assert expected in [(hint.relation, hint.observed, hint.wanted) for hint in hints]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a & b", [("in", "guest", ("owner",)), ("in", "owner", ("guest",))]),
        ("not b - a", [("<=", ("owner",), ("guest",))]),
        ("b <= a", [("<=", ("owner",), ("guest",))]),
        ("a >= b", [("<=", ("owner",), ("guest",))]),
        ("not a.isdisjoint(b)", [("in", "guest", ("owner",)), ("in", "owner", ("guest",))]),
        ("b.issubset(a)", [("<=", ("owner",), ("guest",))]),
        ("a.issuperset(b)", [("<=", ("owner",), ("guest",))]),
        ("a.intersection(b)", [("in", "guest", ("owner",)), ("in", "owner", ("guest",))]),
        ("set(list(a)) & {each for each in b}", [("in", "guest", ("owner",))]),
    ],
)
def test_question_about_sets_tells_which_members_are_wanted(
    condition: str,
    expected: list[tuple[str, object, object]],
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented(f"def f(a, b):\n    if {condition}:\n        return 1\n")
    subject.recording.begin()
    assert subject.module.f({"guest"}, {"owner"}) is None
    hints = subject.recording.end().comparisons

    assert [(hint.relation, hint.observed, hint.wanted) for hint in hints][: len(expected)] == (
        expected
    )
    assert subject.module.f({"owner"}, {"owner"}) == 1


def test_failure_of_a_set_operation_is_the_applications(
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented("def f(a, b):\n    if a & b:\n        return 1\n")
    subject.recording.begin()
    with pytest.raises(TypeError) as caught:
        subject.module.f({1}, [1])
    subject.recording.end()

    assert caught.traceback[-1].path.name == "subject.py"
    assert subject.module.f(6, 2) == 1


@pytest.mark.parametrize(("full", "expected"), [(True, [("parse", "a", "int")]), (False, [])])
def test_conversion_that_fails_after_others_is_told_where_all_is_told(
    full: bool, expected: list[tuple[str, str, str]], load_instrumented: Callable[..., Any]
) -> None:
    subject = load_instrumented("def f(text):\n    return sum(int(each) for each in text)\n")
    subject.recording.begin(full=full)
    with contextlib.suppress(ValueError):
        subject.module.f("12a")
    hints = subject.recording.end().comparisons

    assert [(hint.relation, hint.observed, hint.wanted) for hint in hints] == expected


@pytest.mark.parametrize(("value", "expected"), [(7, [("==", 7, 0)]), (0, []), (True, [])])
def test_number_that_is_tested_for_its_truth_is_to_be_none(
    value: object, expected: list[tuple[str, int, int]], load_instrumented: Callable[..., Any]
) -> None:
    subject = load_instrumented("def f(a):\n    if a:\n        return 1\n")
    subject.recording.begin()
    subject.module.f(value)
    hints = subject.recording.end().comparisons

    assert [(hint.relation, hint.observed, hint.wanted) for hint in hints] == expected


def test_operands_of_other_types_are_not_kept(load_instrumented: Callable[..., Any]) -> None:
    subject = load_instrumented("def f(a):\n    return a == 5\n")
    subject.recording.begin()
    subject.module.f(object())
    subject.module.f("x" * 5000)

    assert subject.recording.end().comparisons == []


def test_outside_of_tests_everything_is_background(subject: Any) -> None:
    subject.module.classify(0, "x")
    found = subject.recording.background()

    assert "line subject.py:2" in found
    assert "branch subject.py:2 false" in found
    assert "line subject.py:9" in found
    assert "line subject.py:5" not in found


def test_background_can_be_retired(subject: Any) -> None:
    subject.module.classify(0, "x")

    retired = subject.recording.retire_background()

    assert "line subject.py:7" in retired
    assert not covered(record(subject, 0, "x"))


def test_a_background_hit_does_not_take_the_target_from_a_test(subject: Any) -> None:
    subject.module.classify(0, "x")

    assert "line subject.py:2" in covered(record(subject, 0, "x"))


def test_a_thread_of_the_application_is_not_credited(subject: Any) -> None:
    subject.recording.begin()
    thread = threading.Thread(target=subject.module.classify, args=(0, "x"))
    thread.start()
    thread.join()
    between = subject.recording.end()
    subject.recording.begin()
    subject.recording.run(subject.module.classify, 0, "x")

    assert between.scores == {}
    assert "line subject.py:2" in subject.recording.background()
    assert covered(subject.recording.end())


def test_a_copied_context_is_credited(subject: Any) -> None:
    def view() -> None:
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(subject.module.classify, 0, "x"))
        thread.start()
        thread.join()

    subject.recording.begin()
    subject.recording.run(view)

    assert "line subject.py:2" in covered(subject.recording.end())


def test_async_code_is_credited(subject: Any) -> None:
    async def view() -> str:
        await asyncio.sleep(0)
        return await asyncio.to_thread(subject.module.classify, 0, "x")

    subject.recording.begin()
    assert subject.recording.run(asyncio.run, view()) == "small"

    assert "line subject.py:2" in covered(subject.recording.end())


def test_run_uses_an_empty_context(subject: Any) -> None:
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable")
    variable.set(3)
    subject.recording.begin()

    assert subject.recording.run(variable.get, None) is None
    subject.recording.end()


def test_after_run_only_run_counts(subject: Any) -> None:
    subject.recording.begin()
    subject.recording.run(lambda: None)
    subject.module.classify(0, "x")

    assert subject.recording.end().scores == {}


def test_without_run_the_beginning_thread_counts(subject: Any) -> None:
    subject.recording.begin()
    subject.module.classify(0, "x")

    assert covered(subject.recording.end())


def test_several_runs_belong_to_one_test(subject: Any) -> None:
    subject.recording.begin()
    subject.recording.run(subject.module.classify, 0, "x")
    subject.recording.run(subject.module.classify, 9, "x")
    trace = subject.recording.end()

    assert trace.score("line subject.py:6") == 1.0


LOOP = """\
def search(limit):
    for i in range(limit):
        if not i != 100 + 900:
            return True
    return False
"""


def test_distances_are_capped_unless_a_target_is_in_focus(
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented(LOOP)
    target = "branch subject.py:3 true"

    def score(**options: Any) -> float:
        subject.recording.begin(**options)
        subject.recording.run(subject.module.search, 990)
        return subject.recording.end().score(target)

    capped, focused, capped_again = score(), score(focus=frozenset({target})), score()

    assert capped == capped_again < focused


def test_a_capped_condition_still_sees_the_other_side(
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented(
        "def f(n):\n    return [i for i in range(n) if i == 300 or abs(i) == 400]\n"
    )
    subject.recording.begin()
    subject.module.f(1000)
    scores = subject.recording.end().scores

    assert {score for target, score in scores.items() if target.startswith("branch")} == {1.0}


def test_uninstall_silences_everything(subject: Any) -> None:
    subject.recording.uninstall()
    subject.recording.uninstall()

    assert record(subject, 3, "x").scores == {}


@pytest.mark.parametrize("level", [1, 2, 3])
def test_levels_add_targets_and_gradients(
    level: int, load_instrumented: Callable[..., Any]
) -> None:
    subject = load_instrumented(SOURCE, level)
    near, far = record(subject, 9, "x"), record(subject, 2, "x")
    side = "branch subject.py:2 true"

    assert 0 < far.score(side) <= near.score(side) < 1
    assert (far.score(side) < near.score(side)) is (level >= 2)
    assert ("branch subject.py:2#2 true" in subject.recording.catalog) is (level == 3)
    assert bool(near.comparisons) is (level == 3)


def test_level_zero_does_nothing(load_instrumented: Callable[..., Any]) -> None:
    subject = load_instrumented(SOURCE, 0)

    assert record(subject, 2, "x").scores == {}
    assert len(subject.recording.catalog) == 0


def test_a_failure_of_a_probe_stays_with_us(subject: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> float:
        raise LookupError("bug")

    monkeypatch.setattr("pytest_evosearch.instrument.distances.distance.nearness", fail)

    assert covered(record(subject, 2, "x"))
    assert "a probe of a comparison > gave up: LookupError: bug" in subject.recording.notices


@pytest.mark.parametrize("body", ["return a == 1", "return a.get(b)", "return a[b]"])
def test_probes_give_up_on_results_that_tell_nothing(
    body: str, load_instrumented: Callable[..., Any]
) -> None:
    class Column:
        def __eq__(self, other: object) -> Any:
            return [other]

        __hash__ = None  # type: ignore[assignment]

        def get(self, key: object) -> object:
            return key

        def __getitem__(self, key: object) -> object:
            return key

    subject = load_instrumented(f"def f(a, b):\n    {body}\n")
    subject.recording.begin()
    for _ in range(20):
        subject.module.f(Column(), 1)
    subject.recording.end()
    constants = subject.module.f.__code__.co_consts
    probes = next(each for each in constants if isinstance(each, ProbeSlots))

    assert probes.c0 is None


def test_what_was_worked_out_for_texts_is_the_same_again(
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented(
        "def f(a):\n"
        "    if a == 'save' or a in ('x', 'load') or a.startswith('pre') or len(a) == 9:\n"
        "        return int(a)\n"
        "    return a.isdigit()\n"
    )

    def traced(value: str) -> Any:
        subject.recording.begin()
        subject.module.f(value)
        return subject.recording.end()

    first, other, again = traced("sav"), traced("prf"), traced("sav")

    assert again == first != other
    assert len(first.comparisons) > 4


def test_nobodys_hash_is_asked_for(load_instrumented: Callable[..., Any]) -> None:
    class Text(str):
        __slots__ = ()

        def __hash__(self) -> int:
            raise AssertionError

    subject = load_instrumented(
        "def f(a, b):\n    return a == b, a in (b,), a.startswith(b), a.startswith((b, 'x'))\n"
    )
    subject.recording.begin()
    subject.module.f("abc", Text("abd"))
    subject.module.f(Text("abd"), "abc")
    subject.recording.end()

    assert subject.recording.notices == []
