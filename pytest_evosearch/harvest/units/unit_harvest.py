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

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import CONVERSION
from pytest_evosearch.core.targets import LOOKUP
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.genes.example import is_example
from pytest_evosearch.harvest.units.made_objects import MadeObjects
from pytest_evosearch.harvest.units.unit_enriching import NO_DUTY
from pytest_evosearch.harvest.units.unit_enriching import Changes
from pytest_evosearch.harvest.units.unit_enriching import Covered
from pytest_evosearch.harvest.units.unit_enriching import Duty
from pytest_evosearch.harvest.units.unit_enriching import Enriching
from pytest_evosearch.harvest.units.unit_reduction import Execute
from pytest_evosearch.harvest.units.unit_reduction import UnitSimplifier
from pytest_evosearch.harvest.units.unit_reduction import UsualAt
from pytest_evosearch.harvest.units.unit_reduction import ends_at_act
from pytest_evosearch.harvest.units.unit_reduction import ends_with_error
from pytest_evosearch.harvest.units.unit_reduction import has_answer
from pytest_evosearch.harvest.units.unit_reduction import own_options
from pytest_evosearch.harvest.units.unit_steadiness import steady_specimens
from pytest_evosearch.harvest.units.unit_variants import Unsure
from pytest_evosearch.minimize.set_cover import smallest_suite
from pytest_evosearch.problem.units.documented_calls import is_spelled
from pytest_evosearch.problem.units.little_said import says_little
from pytest_evosearch.problem.units.little_said import shows_nothing
from pytest_evosearch.problem.units.little_said import without_echo
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import beginnings
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import holds_unknown
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

MINIMIZING = "some shorter tests"
"""How a notice names this phase."""

FAILED: tuple[Run, frozenset[TargetId]] = Run(harm="an error of pytest-evosearch"), frozenset()
"""Stands for an execution that failed by a mistake of this plugin."""

MOST_DOCUMENTED = 3
"""Most tests of one unit that only show what its docstring says."""

_OF_FAILING = (f" {LOOKUP[1]}", f" {CONVERSION[1]}")
"""How targets end that say where an error arose, which is no reason to pin an error of others."""


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
    changes: Changes,
    fence: Fence,
    documented: Mapping[UnitTest, str],
    usual: UsualAt,
    unsure: Unsure,
) -> UnitHarvest:
    """Return the tests worth writing; `fault_of` returns None for a result that shows nothing.

    `changes` adds tests to the chosen ones, of these and of `further` ones.
    `documented` are tests of docstrings with their results, `usual` returns what people would pass,
    `unsure` the places of arguments whose types nothing shows.
    """
    harvest = _Harvest(units, execute, fault_of, is_over, fence)
    whole = dict(harvest.useful(one for test in tests for one in (*beginnings(test), test)))
    alone = {test: whole[test] - _begun(test, whole) for test in whole}
    found = _answering_first(alone, harvest.failing)
    simpler = UnitSimplifier(execute, is_over, list(found), units, usual)
    kept = harvest.chosen_of(found, simpler)
    more = fence.run(MINIMIZING, lambda: dict(harvest.useful(further())), otherwise={})
    tried = {**whole, **more}
    news = _news(tried, _union(covered for _needed, covered in kept.values()))
    kept = {**harvest.chosen_of(news, simpler), **kept}
    found_more = fence.run("tests that detect changes", _added, changes, kept, tried, otherwise=[])
    acting = (fence.run(MINIMIZING, simpler.effective, one, otherwise=one) for one in found_more)
    strong = [one for one in acting if one is not None]
    shown = {test.act.unit for test in (*kept, *strong) if documented.get(test)}
    strong += fence.run(MINIMIZING, _documented, documented, shown, execute, otherwise=[])
    # Where nothing shows the type of an argument, those that are shown beside it say more.
    unsaid = {one.act.unit for one in (*kept, *strong) if unsure(one)}
    borrowed = (one for one in documented if one.act.unit in unsaid and not documented[one])
    strong += [one for one, covered in harvest.useful(borrowed) if has_answer(covered)]
    once = _each_once({**dict.fromkeys((*kept, *strong), NO_DUTY), **kept})
    made = MadeObjects(tried, units, execute)
    enriching = Enriching(changes, execute, is_over, units, tried, unsure, made)
    once = fence.run("tests that say more", enriching.enriched, once, otherwise=once)
    once = _after(lambda test, _needed: simpler.focused(test), once, fence)
    specimens = _with_each_fault_once(harvest.specimens(_each_once(once), tried, simpler, made))
    return UnitHarvest(_in_order(specimens, units), tuple(dict.fromkeys(harvest.dropped)))


def _in_order(
    specimens: Iterable[UnitSpecimen], units: Mapping[str, Unit]
) -> tuple[UnitSpecimen, ...]:
    """Return specimens by unit, in the order of the units, the plainest ones first."""
    order = {key: at for at, key in enumerate(units)}
    return tuple(sorted(specimens, key=lambda one: (order[one.unit.key], *_plainness(one))))


def _added(changes: Changes, kept: Mapping[UnitTest, Duty], tried: Covered) -> list[UnitTest]:
    """Return tests to add to the kept ones, of those that were tried."""
    known = sorted(tried, key=lambda test: (holds_unknown(test), size_of(test)))
    answering = {test: tried[test] for test in known if has_answer(tried[test])}
    return changes.strengthened({test: covered for test, (_, covered) in kept.items()}, answering)


class _Harvest:
    """Executes tests, chooses among them, and makes specimens of those that end twice alike."""

    def __init__(
        self,
        units: Mapping[str, Unit],
        execute: Execute,
        fault_of: Callable[[UnitTest, Result], str | None],
        is_over: Callable[[], bool],
        fence: Fence,
    ) -> None:
        self._units = units
        self._execute = execute
        self._fault_of = fault_of
        self._is_over = is_over
        self._fence = fence
        self.dropped: list[tuple[str, str]] = []
        """Unit -> why one of its tests is not written."""
        self.failing: set[UnitTest] = set()
        """Tests that end with an exception."""

    def useful(self, tests: Iterable[UnitTest]) -> Iterator[tuple[UnitTest, frozenset[TargetId]]]:
        """Yield the tests that are worth writing, with what they are worth it for."""
        for test in dict.fromkeys(tests):
            if covered := self._fence.run(MINIMIZING, self._covers, test, otherwise=frozenset()):
                yield test, covered

    def _covers(self, test: UnitTest) -> frozenset[TargetId]:
        run, covered = self._execute(test, apart=False)
        if run.harm:
            self.dropped.append((test.act.unit, run.harm))
            return frozenset()
        if not ends_at_act(run, test) or self._fault_of(test, run.results[-1]) is None:
            return frozenset()
        if ends_with_error(run):
            self.failing.add(test)
        return _worth_covering(test, self._units[test.act.unit], run.results[-1], covered)

    def chosen_of(self, found: Covered, simpler: UnitSimplifier) -> dict[UnitTest, Duty]:
        """Return few simple tests that cover everything, with their duties."""
        kept = _duties(smallest_suite(found, size_of), found)
        steps = (
            *(simpler.fewest_options, simpler.telling, simpler.simplest),
            *(simpler.ordinary, simpler.acting),
        )
        for step in steps:
            kept = _after(step, kept, self._fence)
        return kept

    def specimens(
        self,
        chosen: Mapping[UnitTest, Duty],
        tried: Covered,
        simpler: UnitSimplifier,
        made: MadeObjects,
    ) -> list[UnitSpecimen]:
        """Return the specimens of the chosen tests, or of others that cover as much."""
        found: list[UnitSpecimen] = []
        alone = {
            test: self._fence.run(
                MINIMIZING, self._execute, test, not self._is_over(), otherwise=FAILED
            )
            for test in chosen
        }
        run = self._fence.run
        for test, first in alone.items():
            specimen = run(MINIMIZING, self._repeated, test, first, otherwise=None)
            given = test, chosen[test], tried, simpler
            steady = [specimen] if specimen else run(MINIMIZING, self._steady, *given, otherwise=[])
            found += steady
            if not steady:
                why = first[0].harm or "it ends differently each time"
                self.dropped.append((test.act.unit, why))
        told = [run(MINIMIZING, made.shortened, one, otherwise=one) for one in found]
        acting = (run(MINIMIZING, simpler.with_idle, one, otherwise=one) for one in told)
        return _without_shells(list(acting))

    def _repeated(
        self, test: UnitTest, first: tuple[Run, frozenset[TargetId]]
    ) -> UnitSpecimen | None:
        again, _covered = self._execute(test, apart=False)
        return _specimen(test, self._units, (first[0], again), first[1], self._fault_of)

    def _steady(
        self, test: UnitTest, duty: Duty, tried: Covered, simpler: UnitSimplifier
    ) -> list[UnitSpecimen]:
        """Return the specimens of other tests that cover as much together, and end alike."""

        def shortened(one: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
            return next(iter(self.chosen_of({one: needed}, simpler)), one)

        def repeat(one: UnitTest) -> UnitSpecimen | None:
            if self._is_over():
                return None
            return self._repeated(one, self._execute(one, apart=True))

        return list(steady_specimens(test, duty, tried, shortened, repeat))


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


def _each_once(chosen: Mapping[UnitTest, Duty]) -> dict[UnitTest, Duty]:
    """Return the first of the tests that make the same calls, though from different genes."""
    first: dict[str, UnitTest] = {}
    for test in chosen:
        first.setdefault(repr(test.sent()), test)
    return {test: chosen[test] for test in first.values()}


def _news(tried: Covered, known: frozenset[TargetId]) -> dict[UnitTest, frozenset[TargetId]]:
    """Return the tests of code that is not covered yet."""
    left = {test: covered - known for test, covered in tried.items()}
    return {test: new for test, new in left.items() if any(kind_of(one) != STATUS for one in new)}


def _union(parts: Iterable[frozenset[TargetId]]) -> frozenset[TargetId]:
    return frozenset().union(*parts)


def _answering_first(
    found: Covered, failing: Container[UnitTest]
) -> dict[UnitTest, frozenset[TargetId]]:
    """Return what tests are worth: one that ends with an exception, for what no answer covers."""
    answered = _union(covered for test, covered in found.items() if test not in failing)
    left = {
        test: covered - answered if test in failing else covered for test, covered in found.items()
    }
    return {test: covered for test, covered in left.items() if covered}


def _begun(test: UnitTest, found: Covered) -> frozenset[TargetId]:
    """Return what a shorter test covers that ends with an earlier call of a test."""
    return _union(found.get(one, frozenset()) for one in beginnings(test))


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


def _documented(
    documented: Mapping[UnitTest, str], shown: Container[str], execute: Execute
) -> list[UnitTest]:
    """Return tests of docstrings that hold, for units of which no other test is documented."""
    found: dict[str, list[UnitTest]] = {}
    for test, result in documented.items():
        known = found.setdefault(test.act.unit, [])
        if result and test.act.unit not in shown and len(known) < MOST_DOCUMENTED:
            run, _covered = execute(test, apart=False)
            is_whole = not run.harm and ends_at_act(run, test)
            if is_whole and is_spelled(run.results[-1].value, result):
                known.append(test)
    return [test for known in found.values() for test in known]


def _plainness(one: UnitSpecimen) -> tuple[bool, int, bool]:
    """Return what puts plain tests first, which get the shortest names, and examples of these."""
    is_invented = not any(is_example(gene) for _place, gene in one.test.genes())
    return one.result.end is not End.RETURNED, len(own_options(one.test)), is_invented


def _worth_covering(
    test: UnitTest, unit: Unit, result: Result, covered: frozenset[TargetId]
) -> frozenset[TargetId]:
    """Return the targets for which a test is worth writing: an end that says little is none."""
    if shows_nothing(unit, result):
        return frozenset()
    if says_little(test, unit, result):
        return frozenset(one for one in covered if kind_of(one) != STATUS)
    if not has_answer(covered):
        return frozenset(one for one in covered if not one.endswith(_OF_FAILING))
    return covered


def _with_each_fault_once(specimens: Sequence[UnitSpecimen]) -> list[UnitSpecimen]:
    """Keep one test of each line with a fault: several callers show the same mistake."""
    first: dict[tuple[str, str, int], UnitSpecimen] = {}
    for one in sorted(specimens, key=lambda one: size_of(one.test)):
        raised = one.result.raised
        if one.fault and raised is not None:
            first.setdefault((raised.kind.name, raised.path, raised.line), one)
    shown = list(first.values())
    return [one for one in specimens if not one.fault or any(one is each for each in shown)]


def _specimen(
    test: UnitTest,
    units: Mapping[str, Unit],
    runs: tuple[Run, Run],
    covered: frozenset[TargetId],
    fault_of: Callable[[UnitTest, Result], str | None],
) -> UnitSpecimen | None:
    """Return the specimen of a test that ended twice alike; None for one that did not."""
    first, second = runs
    if first.harm or second.harm or not ends_at_act(first, test):
        return None
    result = first.results[-1]
    fault = fault_of(test, result)
    if fault is None or repr(result) != repr(second.results[-1]):
        return None
    return UnitSpecimen(test, units, without_echo(test, result), covered, fault)


def _without_shells(specimens: Sequence[UnitSpecimen]) -> list[UnitSpecimen]:
    """Leave out tests that only make an object which shows nothing, where other tests make it.

    One of which nothing but the class is known has no test in any case.
    """

    def is_shell(one: UnitSpecimen) -> bool:
        value = one.result.value
        if one.unit.kind is not Kind.CLASS or not isinstance(value, Instance):
            return False
        return value.elements is None and all(name.startswith("__") for name, _ in value.attributes)

    def shows_some(one: UnitSpecimen) -> bool:
        return isinstance(one.result.value, Instance) and not one.result.value.is_closed

    def is_needed(one: UnitSpecimen) -> bool:
        return any(kind_of(left) != STATUS for left in one.targets - others)

    others = _union(one.targets for one in specimens if not is_shell(one))
    return [one for one in specimens if not is_shell(one) or (shows_some(one) and is_needed(one))]


def covered_by(scores: Mapping[TargetId, float]) -> frozenset[TargetId]:
    """Return the covered targets of a run."""
    return frozenset(name for name, score in scores.items() if score >= COVERED)
