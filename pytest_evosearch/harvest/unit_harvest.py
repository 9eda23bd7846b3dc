"""From the archive of a search for units to the tests worth writing.

Every test of the archive is executed again, and so is each that ends with an earlier one of its
calls: a test stands for what its last call covers.  A set cover picks few that cover everything;
each of these gets simpler while it covers what it was picked for, and gets ordinary values.  It is
executed twice more, at first in a process of its own if there is time, and a test that ends
differently is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.minimize.ordinary import with_ordinary_values
from pytest_evosearch.minimize.reducible import simplified
from pytest_evosearch.minimize.set_cover import smallest_suite
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import beginnings
from pytest_evosearch.problem.units.unit import options
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

Covered = Mapping[UnitTest, frozenset[TargetId]]
"""Tests with what they cover."""

MINIMIZING = "some shorter tests"
"""How a notice names this phase."""

FAILED: tuple[Run, frozenset[TargetId]] = Run(harm="an error of pytest-evosearch"), frozenset()
"""Stands for an execution that failed by a mistake of this plugin."""

Duty = tuple[frozenset[TargetId], frozenset[TargetId]]
"""What a test must go on covering, and all that it covers."""

TRIALS = 80
"""Executions for making one test simpler."""


ORDINARY_TRIALS = 40
"""Executions for giving one test ordinary values."""


class Execute(Protocol):
    """Executes a test, and tells all of it."""

    def __call__(self, test: UnitTest, apart: bool) -> tuple[Run, frozenset[TargetId]]:
        """Return what happened, and everything that the test covers.

        `apart` means a process of its own, where no other test has left anything.
        """
        ...


@dataclass(frozen=True)
class UnitHarvest:
    """The tests worth writing, and those that are not."""

    specimens: tuple[UnitSpecimen, ...]
    dropped: tuple[tuple[str, str], ...] = ()
    """Unit -> why one of its tests is not written."""
    notices: tuple[str, ...] = ()
    """Relations that hold for most values."""


def harvested(
    tests: Iterable[UnitTest],
    further: Callable[[], Iterable[UnitTest]],
    units: Mapping[str, Unit],
    execute: Execute,
    fault_of: Callable[[UnitTest, Result], str | None],
    is_over: Callable[[], bool],
    strengthened: Callable[[Covered, Covered], list[UnitTest]],
    fence: Fence,
) -> UnitHarvest:
    """Return the tests worth writing; `fault_of` returns None for a result that shows nothing.

    `strengthened` returns tests to add to the chosen ones, of these and of `further` ones.
    """
    dropped: list[tuple[str, str]] = []

    def covers(test: UnitTest) -> frozenset[TargetId]:
        run, covered = execute(test, apart=False)
        if run.harm:
            dropped.append((test.act.unit, run.harm))
            return frozenset()
        is_told = _ends_at_act(run, test) and fault_of(test, run.results[-1]) is not None
        return covered if is_told else frozenset()

    def useful(tests: Iterable[UnitTest]) -> Iterator[tuple[UnitTest, frozenset[TargetId]]]:
        for test in dict.fromkeys(tests):
            if covered := fence.run(MINIMIZING, covers, test, otherwise=frozenset()):
                yield test, covered

    whole = dict(useful(one for test in tests for one in (*beginnings(test), test)))
    found = {test: whole[test] - _begun(test, whole) for test in whole}
    picked = smallest_suite(found, size_of)
    kept = _duties(picked, found)
    simpler = _Simpler(execute, is_over)
    for step in (simpler.fewest_options, simpler.simplest, simpler.ordinary):
        kept = _after(step, kept, fence)
    chosen = {test: covered for test, (_needed, covered) in kept.items()}

    def added() -> list[UnitTest]:
        return strengthened(chosen, {**found, **dict(useful(further()))})

    more = fence.run("tests that detect changes", added, otherwise=[])

    def repeated(test: UnitTest, first: Run, covered: frozenset[TargetId]) -> UnitSpecimen | None:
        again, _covered = execute(test, apart=False)
        return _specimen(test, units, (first, again), covered, fault_of)

    specimens = []
    alone = {
        test: fence.run(MINIMIZING, execute, test, not is_over(), otherwise=FAILED)
        for test in (*chosen, *more)
    }
    for test, (first, covered) in alone.items():
        specimen = fence.run(MINIMIZING, repeated, test, first, covered, otherwise=None)
        if specimen is None:
            dropped.append((test.act.unit, first.harm or "it ends differently each time"))
        else:
            specimens.append(specimen)
    specimens = _without_shells(specimens)
    order = list(units)
    specimens.sort(key=lambda one: (order.index(one.unit.key), one.result.end is not End.RETURNED))
    return UnitHarvest(tuple(specimens), tuple(dict.fromkeys(dropped)))


def _duties(picked: Iterable[UnitTest], found: Covered) -> dict[UnitTest, Duty]:
    """Return the duties of tests: the simplest one that covers a target must go on covering it."""
    first: dict[TargetId, UnitTest] = {}
    for test in sorted(picked, key=size_of):
        for target in found[test]:
            first.setdefault(target, test)
    return {
        test: (frozenset(one for one in found[test] if first[one] is test), found[test])
        for test in picked
    }


def _union(parts: Iterable[frozenset[TargetId]]) -> frozenset[TargetId]:
    return frozenset().union(*parts)


def _begun(test: UnitTest, found: Covered) -> frozenset[TargetId]:
    """Return what a shorter test covers that ends with an earlier call of a test."""
    return _union(found.get(one, frozenset()) for one in beginnings(test))


def _ends_at_act(run: Run, test: UnitTest) -> bool:
    return len(run.results) == len(test) and run.results[-1].end in (End.RETURNED, End.RAISED)


def _after(
    step: Callable[[UnitTest, frozenset[TargetId]], UnitTest],
    kept: Mapping[UnitTest, Duty],
    fence: Fence,
) -> dict[UnitTest, Duty]:
    """Return the tests after a step; tests that became equal are one, with both duties."""
    found: dict[UnitTest, Duty] = {}
    for test, (needed, covered) in kept.items():
        after = fence.run(MINIMIZING, step, test, needed, otherwise=test)
        before = found.get(after, (frozenset(), frozenset()))
        found[after] = before[0] | needed, before[1] | covered
    return found


class _Simpler:
    """Makes tests simpler while they cover what they were picked for, step by step."""

    def __init__(self, execute: Execute, is_over: Callable[[], bool]) -> None:
        self._execute = execute
        self._is_over = is_over

    def fewest_options(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Leave out optional arguments, even when time is over: few executions, and much gained."""
        keeps = partial(self._keeps, needed)
        bare = test.bare()
        if keeps(bare):
            return bare
        for place, gene in list(options(test)):
            candidate = test.with_gene(place, gene.left_out())
            test = candidate if keeps(candidate) else test
        return test

    def simplest(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Leave out calls, and take the smallest values."""

        def keeps(candidate: UnitTest) -> bool:
            return not self._is_over() and self._keeps(needed, candidate)

        return simplified(test, keeps, lambda one: repr(one.sent()), TRIALS)

    def ordinary(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Take ordinary values with which the test ends in the same way."""
        if self._is_over():
            return test
        usual, _covered = self._execute(test, apart=False)

        def keeps(candidate: UnitTest) -> bool:
            return not self._is_over() and self._keeps(needed, candidate, _ending(usual))

        return with_ordinary_values(test, keeps, ORDINARY_TRIALS)

    def _keeps(
        self,
        needed: frozenset[TargetId],
        candidate: UnitTest,
        ending: tuple[object, ...] | None = None,
    ) -> bool:
        run, covered = self._execute(candidate, apart=False)
        if run.harm or not _ends_at_act(run, candidate) or not needed <= covered:
            return False
        return ending is None or ending == _ending(run)


def _ending(run: Run) -> tuple[object, ...]:
    """Return how the tested call ended, and what kind of thing it told."""
    last = run.results[-1]
    kind = last.raised.kind if last.raised is not None else type(last.value)
    return last.end, kind, bool(last.changed), bool(last.printed), last.passed


def _specimen(
    test: UnitTest,
    units: Mapping[str, Unit],
    runs: tuple[Run, Run],
    covered: frozenset[TargetId],
    fault_of: Callable[[UnitTest, Result], str | None],
) -> UnitSpecimen | None:
    """Return the specimen of a test that ended twice alike; None for one that did not."""
    first, second = runs
    if first.harm or second.harm or not _ends_at_act(first, test):
        return None
    result = first.results[-1]
    fault = fault_of(test, result)
    if fault is None or repr(result) != repr(second.results[-1]):
        return None
    return UnitSpecimen(test, units, replace(result), covered, fault)


def _without_shells(specimens: Sequence[UnitSpecimen]) -> list[UnitSpecimen]:
    """Leave out tests that only make an object which shows nothing, where other tests make it."""

    def is_shell(one: UnitSpecimen) -> bool:
        value = one.result.value
        if one.unit.kind is not Kind.CLASS or not isinstance(value, Instance):
            return False
        return value.elements is None and not value.attributes

    others = _union(one.targets for one in specimens if not is_shell(one))
    return [
        one
        for one in specimens
        if not is_shell(one) or any(kind_of(left) != STATUS for left in one.targets - others)
    ]


def covered_by(scores: Mapping[TargetId, float]) -> frozenset[TargetId]:
    """Return the covered targets of a run."""
    return frozenset(name for name, score in scores.items() if score >= COVERED)
