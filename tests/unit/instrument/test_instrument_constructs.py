"""What level 3 adds: calls that complete or raise, lookups, types, lengths, swallowing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from pytest_evosearch.instrument.probing.slots import ProbeSlots

Load = Callable[..., Any]


def run(subject: Any, *calls: tuple[Any, ...]) -> Any:
    """Record one test that calls ``f`` with each of the argument tuples."""
    subject.recording.begin()
    for arguments in calls:
        with contextlib.suppress(Exception):
            subject.module.f(*arguments)
    return subject.recording.end()


def hints(trace: Any) -> list[tuple[str, object, object]]:
    return [(hint.relation, hint.observed, hint.wanted) for hint in trace.comparisons]


def test_a_call_that_raises_brings_what_comes_next_halfway(load_instrumented: Load) -> None:
    subject = load_instrumented("def f(a):\n    b = int(a)\n    return str(b)\n")

    raised, completed = run(subject, ("x",)), run(subject, ("1",))

    assert raised.score("line subject.py:3") == 0.5
    assert completed.score("line subject.py:3") == 1.0


@pytest.mark.parametrize(
    ("statement", "value"),
    [("b = a['name']", {}), ("b = 1 / a", 0), ("b, c = a", (1, 2, 3)), ("a['n'] += 1", {})],
)
def test_what_is_taken_apart_and_raises_brings_what_comes_next_halfway(
    statement: str, value: object, load_instrumented: Load
) -> None:
    subject = load_instrumented(f"def f(a):\n    {statement}\n    return a\n")

    assert run(subject, (value,)).score("line subject.py:3") == 0.5


def test_a_value_that_is_copied_brings_nothing_halfway(load_instrumented: Load) -> None:
    subject = load_instrumented("def f(a):\n    b = a\n    raise ValueError(b)\n    return b\n")

    assert run(subject, (1,)).score("line subject.py:4") == 0.0


def test_a_returned_call_completes_or_does_not(load_instrumented: Load) -> None:
    subject = load_instrumented("def g(a):\n    return 1 / a\ndef f(a):\n    return g(a)\n")

    assert run(subject, (0,)).score("branch subject.py:4 completed") == 0.5
    assert run(subject, (2,)).score("branch subject.py:4 completed") == 1.0


def test_calls_that_only_raise_are_no_targets(load_instrumented: Load) -> None:
    subject = load_instrumented("def f(a):\n    return abort(404)\n")

    assert not [name for name in subject.recording.catalog.targets() if "completed" in name]


def test_a_lambda_is_entered(load_instrumented: Load) -> None:
    subject = load_instrumented("KEY = lambda x: -x\ndef f(a):\n    return sorted(a, key=KEY)\n")

    assert run(subject, ([],)).score("branch subject.py:1 called") == 0.0
    assert run(subject, ([2, 1],)).score("branch subject.py:1 called") == 1.0


SWALLOWERS = {
    "suppress": """
        from contextlib import suppress
        def f(a):
            with suppress(ValueError):
                int(a)
        """,
    "class": """
        class Quiet:
            def __enter__(self): pass
            def __exit__(self, *details): return True
        def f(a):
            with Quiet():
                int(a)
        """,
    "function": """
        from contextlib import contextmanager
        @contextmanager
        def quiet():
            try:
                yield
            except ValueError:
                pass
        def f(a):
            with quiet():
                int(a)
        """,
}


@pytest.mark.parametrize("source", SWALLOWERS.values(), ids=SWALLOWERS)
def test_a_with_that_swallows(source: str, load_instrumented: Load) -> None:
    subject = load_instrumented(source)
    (target,) = [name for name in subject.recording.catalog.targets() if "swallowed" in name]

    passed, swallowed = run(subject, ("1",)), run(subject, ("x",))

    assert 0 < passed.score(target) < 1
    assert swallowed.score(target) == 1.0
    assert run(subject, ("1",), ("x",)).score(target) == 1.0


def test_other_with_statements_have_no_such_target(load_instrumented: Load) -> None:
    subject = load_instrumented("def f(a):\n    with open(a) as g:\n        return g\n")

    assert not [name for name in subject.recording.catalog.targets() if "swallowed" in name]


@pytest.mark.parametrize(
    ("test", "value", "hint"),
    [
        ("isinstance(a, int)", "q", ("isinstance", "q", ("int",))),
        ("isinstance(a, (int, float))", "q", ("isinstance", "q", ("int", "float"))),
        ("hasattr(TABLE, a)", "gett", ("key", "gett")),
        ("getattr(TABLE, a, None)", "gett", ("key", "gett")),
        ("len(a) == 4", "ab", ("==", "ab", "abbb")),
        ("len(a) > 2", "ab", ("==", "ab", "abb")),
        ("2 < len(a)", "ab", ("==", "ab", "abb")),
        ("len(a) < 2", "ab", ("==", "ab", "a")),
        ("len(a) >= 3", "", ("==", "", "aaa")),
        ("3 <= len(a) <= 5", "ab", ("==", "ab", "abb")),
        ("3 <= len(a) <= 5", "abcdef", ("==", "abcdef", "abcde")),
        ("10 < int(a) < 20", "4", (">", 4, 10)),
        ("10 < int(a) < 20", "23", ("<", 23, 20)),
        ("-10 <= a['n'] <= 10", {"n": -12}, (">=", -12, -10)),
        ("'@' in a", "joe", ("contains", "joe", "@")),
        ("a in TABLE", "q", ("in", "q", ("k",))),
    ],
)
def test_conditions_and_their_hints(
    test: str, value: object, hint: tuple[object, ...], load_instrumented: Load
) -> None:
    subject = load_instrumented(
        f"TABLE = {{'k': 1}}\ndef f(a):\n    if {test}:\n        return 1\n"
    )
    trace = run(subject, (value,))

    assert any(found[: len(hint)] == hint for found in hints(trace)), hints(trace)
    assert 0 < trace.score("branch subject.py:3 true") < 1


RANGE = """
def f(a, low=3):
    if low <= a() <= 7:
        return 1
"""


@pytest.mark.parametrize("operand", [0, 1, 9, 12])
def test_a_computed_value_comes_closer_to_a_range(operand: int, load_instrumented: Load) -> None:
    subject = load_instrumented(RANGE)
    closer = operand + 1 if operand < 3 else operand - 1
    far, near = (
        run(subject, (lambda value=value: value,)).score("branch subject.py:3 true")
        for value in (operand, closer)
    )

    assert 0 < far < near < 1


def test_a_value_in_a_range_is_told_how_to_leave_it_on_both_sides(load_instrumented: Load) -> None:
    subject = load_instrumented(RANGE)

    assert set(hints(run(subject, (lambda: 5,)))) == {("<", 5, 3), (">", 3, 5), (">", 5, 7)}


def test_a_computed_value_is_computed_once_and_the_chain_raises_where_it_stands(
    load_instrumented: Load,
) -> None:
    subject = load_instrumented(RANGE)
    asked: list[int] = []

    run(subject, (lambda: asked.append(1) or 5,))
    assert asked == [1]
    with pytest.raises(TypeError, match="not supported between instances") as raised:
        subject.module.f(lambda: None)
    assert raised.traceback[-1].name == "f"


def test_a_range_that_is_a_value_is_a_decision_of_its_own(load_instrumented: Load) -> None:
    subject = load_instrumented("def f(a):\n    return 3 <= a['n'] <= 7\n")

    assert subject.module.f({"n": 5}) is True
    far, near = (run(subject, ({"n": n},)).score("branch subject.py:2 true") for n in (11, 9))
    assert 0 < far < near < 1


def test_nothing_is_told_of_values_whose_comparison_is_anybodys_code(
    load_instrumented: Load,
) -> None:
    class Odd:
        asked = 0

        def __ge__(self, other: object) -> bool:
            Odd.asked += 1
            return False

    subject = load_instrumented(RANGE)
    trace = run(subject, (Odd,))

    assert (Odd.asked, hints(trace)) == (1, [])
    assert trace.score("branch subject.py:3 true") > 0


ENUMS = """\
import enum
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class Other:
    def __init__(self, v): pass
def f(a, kind=Color):
    try:
        return Color(a)
    except ValueError:
        return None
def g(a):
    return Color[a]
def i(a, module):
    return module.Color[a]
def j(a, module):
    try:
        return module.Color(a)
    except ValueError:
        return None
def h(a):
    try:
        return Other(a)
    except ValueError:
        return None
"""


def test_an_enum_is_looked_up_by_value_and_by_name(load_instrumented: Load) -> None:
    subject = load_instrumented(ENUMS)

    near, far, found = run(subject, ("rec",)), run(subject, ("q",)), run(subject, ("red",))
    side = "branch subject.py:9 returned"

    assert 0 < far.score(side) < near.score(side) < found.score(side) == 1.0
    assert far.score("branch subject.py:9 raised") == 1.0
    assert ("in", "q", ("red", "blue")) in hints(far)


def test_a_member_by_name(load_instrumented: Load) -> None:
    subject = load_instrumented(ENUMS)
    subject.recording.begin()
    with contextlib.suppress(KeyError):
        subject.module.g("REX")

    assert ("key", "REX", ("RED", "BLUE")) in hints(subject.recording.end())


def test_a_member_by_name_of_an_enum_in_another_module(load_instrumented: Load) -> None:
    subject = load_instrumented(ENUMS)
    subject.recording.begin()
    with contextlib.suppress(KeyError):
        subject.module.i("REX", subject.module)

    assert ("key", "REX", ("RED", "BLUE")) in hints(subject.recording.end())


def test_a_member_by_value_of_an_enum_in_another_module(load_instrumented: Load) -> None:
    subject = load_instrumented(ENUMS)
    subject.recording.begin()
    subject.module.j("rex", subject.module)

    assert ("in", "rex", ("red", "blue")) in hints(subject.recording.end())


def test_classes_that_are_no_enums_stay_silent(load_instrumented: Load) -> None:
    subject = load_instrumented(ENUMS)
    subject.recording.begin()
    subject.module.h(1)
    scores = subject.recording.end().scores

    assert not [name for name in scores if "returned" in name or "raised" in name]


@pytest.mark.parametrize("call", ["datetime.strptime(a, '%d.%m.%Y')", "datetime.strptime(a, FORM)"])
def test_strptime_names_its_format(call: str, load_instrumented: Load) -> None:
    subject = load_instrumented(
        f"from datetime import datetime\nFORM = '%d.%m.%Y'\ndef f(a):\n    return {call}\n"
    )
    far, near = run(subject, ("q",)), run(subject, ("0102.2020",))

    assert ("parse", "q", "datetime.strptime:%d.%m.%Y") in hints(far)
    assert far.score("branch subject.py:4 returned") < near.score("branch subject.py:4 returned")


@pytest.mark.parametrize(
    ("test", "side", "far", "near", "there"),
    [
        ("any(x == 10 for x in a)", "true", [50, 90], [50, 12], [10]),
        ("any([x > 10 for x in a])", "true", [-50], [9], [11]),
        ("all(x < 10 for x in a)", "false", [-5], [9], [11]),
        ("not any(x == 10 for x in a)", "false", [90], [12], [10]),
        ("a and any(x == 'abc' for x in a)", "true", ["q"], ["abd"], ["abc"]),
    ],
)
def test_any_and_all_pass_the_distance_of_their_elements_on(
    test: str, side: str, far: Any, near: Any, there: Any, load_instrumented: Load
) -> None:
    subject = load_instrumented(f"def f(a):\n    if {test}:\n        return 1\n    return 2\n")
    target = f"branch subject.py:2 {side}"
    scores = [run(subject, (value,)).score(target) for value in (far, near, there)]

    assert 0 < scores[0] < scores[1] < scores[2] == 1.0


def test_a_module_opts_out(load_instrumented: Load) -> None:
    subject = load_instrumented(
        '"""EVOSEARCH_DONT_INSTRUMENT: timing."""\ndef f(a):\n    return a\n'
    )

    assert run(subject, (1,)).scores == {}
    assert subject.recording.catalog.targets() == []
    assert not any(isinstance(each, ProbeSlots) for each in subject.module.f.__code__.co_consts)


def test_probes_are_made_when_the_code_of_their_function_runs(load_instrumented: Load) -> None:
    subject = load_instrumented(
        "def f(a):\n    if a > 1:\n        return 2\ndef g(a):\n    return a\n"
    )
    run(subject, (1,))
    used, unused = (
        next(each for each in function.__code__.co_consts if isinstance(each, ProbeSlots))
        for function in (subject.module.f, subject.module.g)
    )

    assert (used.is_fresh, unused.is_fresh) == (False, True)
    assert not hasattr(type(used), "__getattr__")


def test_lookups_beyond_the_measured_ones_cost_little_and_still_tell(
    load_instrumented: Load,
) -> None:
    loaded = load_instrumented(
        "def walk(letters, last):\n    for index in range(last):\n        letters[index]\n"
    )

    def outcomes(last: int) -> set[str]:
        loaded.recording.begin()
        with contextlib.suppress(IndexError):
            loaded.recording.run(loaded.module.walk, "a" * 100, last)
        assert len(loaded.recording._journal.asleep) < 10  # not one for every letter
        scores = loaded.recording.end().scores
        return {target for target, score in scores.items() if score == 1.0}

    found, missed = outcomes(100), outcomes(101)
    assert any(target.endswith("missing") for target in missed)
    assert not any(target.endswith("missing") for target in found)


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("return a.get(b)", {"true", "false"}),
        ("return await a.get(b)", set()),
        ("async with a.get(b): pass", set()),
        ("with a.get(b): pass", set()),
    ],
)
def test_what_is_awaited_or_entered_looks_up_no_member(
    statement: str, names: set[str], load_instrumented: Load
) -> None:
    subject = load_instrumented(f"async def f(a, b):\n    {statement}\n")

    sides = {str(one).rpartition(" ")[2] for one in subject.recording.catalog.targets()}

    assert sides & {"true", "false"} == names
