"""From the archive of a search for units to the tests worth writing.

Every test of the archive is executed again, and so is each that ends with an earlier one of its
calls: a test stands for what its last call covers.  A set cover picks few that cover everything;
each of these gets simpler while it covers what it was picked for, and gets ordinary values.  It is
executed twice more, at first in a process of its own if there is time, and a test that ends
differently is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from itertools import chain
from itertools import islice
from typing import Protocol

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.minimize.ordinary import with_ordinary_values
from pytest_evosearch.minimize.reducible import simplified
from pytest_evosearch.minimize.set_cover import smallest_suite
from pytest_evosearch.problem.units.documented_calls import is_spelled
from pytest_evosearch.problem.units.little_said import says_little
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

MOST_OTHERS = 12
"""Other tests whose values are tried with an option that changes nothing."""


MOST_DOCUMENTED = 3
"""Most tests of one unit that only show what its docstring says."""


class Worth(IntEnum):
    """How much a test says."""

    NONE = 0
    """It ends with an error of other code, which may be another one tomorrow."""
    LITTLE = 1
    """A function that does nothing would give the same result."""
    MUCH = 2


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
    documented: Mapping[UnitTest, str],
    usual: Callable[[UnitTest, tuple[int, int]], Usual],
) -> UnitHarvest:
    """Return the tests worth writing; `fault_of` returns None for a result that shows nothing.

    `strengthened` returns tests to add to the chosen ones, of these and of `further` ones.
    `documented` are tests of docstrings with their results, `usual` returns what people would pass.
    """
    dropped: list[tuple[str, str]] = []

    def covers(test: UnitTest) -> frozenset[TargetId]:
        run, covered = execute(test, apart=False)
        if run.harm:
            dropped.append((test.act.unit, run.harm))
            return frozenset()
        is_told = _ends_at_act(run, test) and fault_of(test, run.results[-1]) is not None
        if is_told and says_little(test, units[test.act.unit], run.results[-1]):
            return frozenset(one for one in covered if kind_of(one) != STATUS)
        return covered if is_told else frozenset()

    def useful(tests: Iterable[UnitTest]) -> Iterator[tuple[UnitTest, frozenset[TargetId]]]:
        for test in dict.fromkeys(tests):
            if covered := fence.run(MINIMIZING, covers, test, otherwise=frozenset()):
                yield test, covered

    whole = dict(useful(one for test in tests for one in (*beginnings(test), test)))
    found = {test: whole[test] - _begun(test, whole) for test in whole}
    picked = smallest_suite(found, size_of)
    kept = _duties(picked, found)
    simpler = _Simpler(execute, is_over, list(found), units, usual)
    steps = (
        *(simpler.fewest_options, simpler.telling, simpler.simplest),
        *(simpler.ordinary, simpler.acting),
    )
    for step in steps:
        kept = _after(step, kept, fence)
    chosen = {test: covered for test, (_needed, covered) in kept.items()}

    def added() -> list[UnitTest]:
        tried = {**whole, **dict(useful(further()))}
        answering = {test: covered for test, covered in tried.items() if _has_answer(covered)}
        return strengthened(chosen, answering)

    more = fence.run("tests that detect changes", added, otherwise=[])
    shown = {test.act.unit for test in (*chosen, *more) if documented.get(test)}
    more += fence.run(MINIMIZING, _documented, documented, shown, execute, otherwise=[])

    def repeated(test: UnitTest, first: Run, covered: frozenset[TargetId]) -> UnitSpecimen | None:
        again, _covered = execute(test, apart=False)
        found = _specimen(test, units, (first, again), covered, fault_of)
        return found and replace(found, idle=simpler.idle(test))

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
    specimens = _with_each_fault_once(_without_shells(specimens))
    order = list(units)
    specimens.sort(key=lambda one: (order.index(one.unit.key), *_plainness(one)))
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

    def __init__(
        self,
        execute: Execute,
        is_over: Callable[[], bool],
        known: Sequence[UnitTest],
        units: Mapping[str, Unit],
        usual: Callable[[UnitTest, tuple[int, int]], Usual],
    ) -> None:
        self._execute = execute
        self._is_over = is_over
        self._known = sorted(known, key=size_of)
        self._units = units
        self._usual = usual

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

    def telling(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Take another test where one says little, or ends with an error of others."""
        worth = self._worth(test)
        if worth is Worth.MUCH or self._is_over():
            return test
        others = (one for one in self._known if _shape_of(one) == _shape_of(test))
        for one in chain(_with_usual_values(test, self._usual), islice(others, MOST_OTHERS)):
            if self._is_over():
                break
            if self._keeps(needed, one) and self._worth(one) > worth:
                return one
        return test

    def simplest(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Leave out calls, and take the smallest values with which the test says as much."""
        worth = self._worth(test)

        def keeps(candidate: UnitTest) -> bool:
            if self._is_over() or not self._keeps(needed, candidate):
                return False
            return self._worth(candidate) >= worth

        return simplified(test, keeps, lambda one: repr(one.sent()), TRIALS)

    def ordinary(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Take ordinary values with which the test ends in the same way."""
        if self._is_over():
            return test
        before, _covered = self._execute(test, apart=False)
        worth = self._worth(test)

        def keeps(candidate: UnitTest) -> bool:
            if self._is_over() or not self._keeps(needed, candidate, _ending(before)):
                return False
            return self._worth(candidate) >= worth

        return with_ordinary_values(test, keeps, ORDINARY_TRIALS, usual=self._usual)

    def acting(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Take other values where an option changes nothing: the first with which it does."""
        for place, gene in _own_options(test):
            bare = test.with_gene(place, gene.left_out())
            if self._keeps(needed, bare):
                test = bare
            elif not self._is_over() and self._told(bare) == self._told(test):
                others = (one for one in self._known if _shape_of(one) == _shape_of(test))
                test = self._first_acting(test, place, islice(others, MOST_OTHERS), needed)
        return test

    def _first_acting(
        self,
        test: UnitTest,
        place: tuple[int, int],
        others: Iterable[UnitTest],
        needed: frozenset[TargetId],
    ) -> UnitTest:
        gene = dict(test.genes())[place]
        bare = test.with_gene(place, gene.left_out())
        without = (
            *((one.bare(), one.with_gene(place, gene.left_out())) for one in others),
            tuple(_with_usual_values(bare, self._usual)),
        )
        for bare in dict.fromkeys(chain.from_iterable(without)):
            candidate = bare.with_gene(place, gene)
            if self._keeps(needed, candidate) and self._told(candidate) != self._told(bare):
                return candidate
        return test

    def idle(self, test: UnitTest) -> frozenset[str]:
        """Return the options of the tested call without which its result is the same."""
        own = _own_options(test)
        told = self._told(test) if own else ""
        names = [name for name, _gene in test.act.arguments]
        return frozenset(
            names[place[1]]
            for place, gene in own
            if self._told(test.with_gene(place, gene.left_out())) == told
        )

    def _worth(self, test: UnitTest) -> Worth:
        run, covered = self._execute(test, apart=False)
        if not _ends_at_act(run, test) or not _has_answer(covered):
            return Worth.NONE
        is_little = says_little(test, self._units[test.act.unit], run.results[-1])
        return Worth.LITTLE if is_little else Worth.MUCH

    def _told(self, test: UnitTest) -> str:
        run, _covered = self._execute(test, apart=False)
        return repr(run.results[-1:])

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


def _with_usual_values(
    test: UnitTest, usual: Callable[[UnitTest, tuple[int, int]], Usual]
) -> Iterator[UnitTest]:
    """Yield tests with one other argument, which people would pass."""
    for place, gene in test.genes():
        for value in usual(test, place).values if gene.value() is not ABSENT else ():
            adopted = gene.adopt(value)
            if adopted is not None:
                yield test.with_gene(place, adopted)


def _documented(
    documented: Mapping[UnitTest, str], shown: Container[str], execute: Execute
) -> list[UnitTest]:
    """Return tests of docstrings that hold, for units of which no other test is documented."""
    found: dict[str, list[UnitTest]] = {}
    for test, result in documented.items():
        known = found.setdefault(test.act.unit, [])
        if result and test.act.unit not in shown and len(known) < MOST_DOCUMENTED:
            run, _covered = execute(test, apart=False)
            is_whole = not run.harm and _ends_at_act(run, test)
            if is_whole and is_spelled(run.results[-1].value, result):
                known.append(test)
    return [test for known in found.values() for test in known]


def _own_options(test: UnitTest) -> list[tuple[tuple[int, int], Gene]]:
    """Return the genes of the options that the tested call gets, with their places."""
    return [(place, gene) for place, gene in options(test) if place[0] == len(test) - 1]


def _shape_of(test: UnitTest) -> list[str]:
    return [call.unit for call in test.calls]


def _plainness(one: UnitSpecimen) -> tuple[bool, int]:
    """Return what puts plain tests first, which get the shortest names."""
    return one.result.end is not End.RETURNED, len(_own_options(one.test))


def _has_answer(covered: frozenset[TargetId]) -> bool:
    """Say whether a test ends with an answer of the unit, and not with an error of others."""
    return any(kind_of(one) == STATUS for one in covered)


def _with_each_fault_once(specimens: Sequence[UnitSpecimen]) -> list[UnitSpecimen]:
    """Keep one test of each line with a fault: several callers show the same mistake."""
    first: dict[tuple[str, str, int], UnitSpecimen] = {}
    for one in sorted(specimens, key=lambda one: size_of(one.test)):
        raised = one.result.raised
        if one.fault and raised is not None:
            first.setdefault((raised.kind.name, raised.path, raised.line), one)
    shown = list(first.values())
    return [one for one in specimens if not one.fault or any(one is each for each in shown)]


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
