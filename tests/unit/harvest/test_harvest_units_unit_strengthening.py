from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.execution.mutating.mutations import Mutation
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.harvest.units.unit_strengthening import Strengthening
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest

LINE = frozenset({"line m.py:1"})


def case_of(number: int) -> UnitTest:
    return UnitTest((UnitCall("m:f", (("a", IntegerGene(current=number)),)),))


def attempt(numbers: Sequence[int], tests: Sequence[UnitTest]) -> Mapping[int, int | None]:
    """Change n is detected by arguments of at least n; change 9 makes every test endless."""
    found: dict[int, int | None] = {}
    for number in numbers:
        values = [test.act.values()["a"] for test in tests]
        hits = [at for at, value in enumerate(values) if value >= number]  # type: ignore[operator]
        found[number] = -1 if number == 9 else (hits[0] if hits else None)
    return found


def strengthening(lines: Sequence[int], shown: Sequence[object] = ()) -> Strengthening:
    changes = [Mutation(number, line) for number, line in enumerate(lines)]
    return Strengthening("m.py", changes, attempt, lambda: False, lambda *_at: Usual(tuple(shown)))


def test_a_test_is_added_and_made_simple_for_what_is_overlooked() -> None:
    work = strengthening([1, 1, 1, 1])

    added = work.added({case_of(1): LINE}, {case_of(1): LINE, case_of(50): LINE})

    assert [test.act.values()["a"] for test in added] == [2, 3]
    assert (work.tried, work.detected) == (4, 4)


def test_an_added_test_has_an_ordinary_value_where_one_will_do() -> None:
    (added,) = strengthening([1, 1]).added({case_of(0): LINE}, {case_of(50): LINE})

    assert added.act.values() == {"a": 3}


def test_an_added_test_has_a_value_that_people_would_pass_before_an_ordinary_one() -> None:
    (added,) = strengthening([1, 1], [0, 17]).added({case_of(0): LINE}, {case_of(50): LINE})

    assert added.act.values() == {"a": 17}


def test_changes_in_code_that_no_test_runs_are_left_out() -> None:
    work = strengthening([1, 7, 7, 7])

    assert work.added({case_of(1): LINE}, {case_of(50): LINE}) == []
    assert (work.tried, work.detected) == (1, 1)


def test_a_change_that_makes_a_loop_needs_no_test() -> None:
    work = strengthening([1] * 10)
    everything = case_of(8)

    assert work.added({everything: LINE}, {everything: LINE}) == []
    assert work.detected == 10


def test_a_change_is_tried_only_on_tests_that_run_its_line() -> None:
    tried: list[list[object]] = []

    def attempt_and_note(
        numbers: Sequence[int], tests: Sequence[UnitTest]
    ) -> Mapping[int, int | None]:
        tried.append([test.act.values()["a"] for test in tests])
        return attempt(numbers, tests)

    here, there = case_of(50), case_of(60)
    work = Strengthening(
        "m.py", [Mutation(1, 1)], attempt_and_note, lambda: False, lambda *_at: Usual(())
    )

    work.added({case_of(0): LINE}, {there: frozenset({"line m.py:7"}), here: LINE})

    assert tried[:2] == [[0], [50]]
