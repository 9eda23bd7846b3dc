"""Fills objects and arguments that hold nothing, and drops tests that add nothing to others.

A test says as much as the small changes of the code which it detects, and by a result that is not
empty.  For each unit:

    best     the test that says most
    variants the best test with one more option of an object, or one more call on it
    add      the variant that says more, if any; again, with this one as the best
    drop     tests that say nothing which others of the unit do not say, of empty objects first
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import chain
from itertools import islice
from itertools import zip_longest
from operator import eq
from typing import Protocol

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import MadeGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.harvest.units.made_objects import MadeObjects
from pytest_evosearch.harvest.units.unit_reduction import Execute
from pytest_evosearch.harvest.units.unit_reduction import ends_at_act
from pytest_evosearch.harvest.units.unit_reduction import ends_with_error
from pytest_evosearch.harvest.units.unit_reduction import own_options
from pytest_evosearch.harvest.units.unit_variants import Unsure
from pytest_evosearch.harvest.units.unit_variants import calls_of
from pytest_evosearch.harvest.units.unit_variants import echoing
from pytest_evosearch.harvest.units.unit_variants import filled as filled_gene
from pytest_evosearch.harvest.units.unit_variants import is_empty
from pytest_evosearch.harvest.units.unit_variants import shorter_variants
from pytest_evosearch.harvest.units.weighed_tests import Weighed
from pytest_evosearch.harvest.units.weighed_tests import weight_of
from pytest_evosearch.minimize.ordinary import NUMBERS
from pytest_evosearch.minimize.ordinary import ordinary_variants
from pytest_evosearch.problem.units.little_said import answers_nonsense
from pytest_evosearch.problem.units.little_said import shows_nothing
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import made_of
from pytest_evosearch.problem.units.unit import size_of

Covered = Mapping[UnitTest, frozenset[TargetId]]
"""Tests with what they cover."""

Duty = tuple[frozenset[TargetId], frozenset[TargetId]]
"""What a test must go on covering, and all that it covers."""

NO_DUTY: Duty = (frozenset(), frozenset())
"""That of a test which is added for what it asserts."""

Duties = Mapping[UnitTest, Duty]


class Changes(Protocol):
    """Small changes of the code, on which tests are tried."""

    def strengthened(self, chosen: Covered, further: Covered) -> list[UnitTest]:
        """Return tests to add to the chosen ones, of further ones."""
        ...

    def powers(self, tests: Covered) -> Mapping[UnitTest, frozenset[str]]:
        """Return the changes that each test of one unit detects."""
        ...

    def hollow(self, tests: Iterable[UnitTest]) -> frozenset[UnitTest]:
        """Return the tests that end as usual without the body of the tested function."""
        ...


OPAQUE = ConstantGene(Made(Named("builtins", "object")))
"""An object with which nothing can be done."""

ROUNDS = 3
"""Things that are added to an object at most: longer tests are hard to read."""

MOST_HEADS = 3
"""Tests of one unit into whose objects something is put at once."""

VARIANTS = 30
"""Variants of one test that are weighed at once."""

MOST_WEIGHED = 800
"""Fuller variants of tests of all units that are weighed, each on up to thirty changes."""


class Enriching:
    """Makes the tests of units say more."""

    def __init__(
        self,
        changes: Changes,
        execute: Execute,
        is_over: Callable[[], bool],
        units: Mapping[str, Unit],
        known: Iterable[UnitTest],
        unsure: Unsure,
        made: MadeObjects,
    ) -> None:
        self._made = made
        self._changes = changes
        self._execute = execute
        self._is_over = is_over
        self._units = units
        self._unsure = unsure
        self._calls = calls_of(known, units, unsure)
        """Class -> calls of its methods, which may put something into an object."""
        self._share = MOST_WEIGHED
        """Fuller variants of the present unit that may still be weighed."""

    def enriched(self, tests: Duties) -> dict[UnitTest, Duty]:
        """Return the tests that say something, with fuller ones in the place of empty ones."""
        grouped: dict[str, dict[UnitTest, Duty]] = {}
        for test, duty in tests.items():
            grouped.setdefault(test.act.unit, {})[test] = duty
        found: dict[UnitTest, Duty] = {}
        left = MOST_WEIGHED
        for at, group in enumerate(grouped.values()):
            self._share = share = left // (len(grouped) - at)
            found |= self._needing_body(group) if self._is_over() else self._of_unit(group)
            left -= share - self._share
        return found

    def _needing_body(self, group: Mapping[UnitTest, Duty]) -> dict[UnitTest, Duty]:
        """Return the tests that are not trivial: little work, which is done when time is over."""
        hollow = self._changes.hollow(group)
        is_told = len(hollow) < len(group)
        ends = {one: self._execute(one, apart=False)[0].last for one in group}
        return {
            one: duty
            for one, duty in group.items()
            if one not in hollow or (is_told and len(one) == 1 and duty[0])
            if (end := ends[one]) is None or not self._made.is_plain(one, end)
        }

    def _of_unit(self, group: Mapping[UnitTest, Duty]) -> dict[UnitTest, Duty]:
        group = dict(self._used(group))
        known = self._weighed(group)
        if not any(one.changes for one in known.values()):
            return {
                one: duty
                for one, duty in group.items()
                if one not in known or not known[one].is_trivial
            }
        best = max(known.values(), key=weight_of)
        heads = [best, *(one for one in known.values() if one is not best and one.is_hollow)]
        for _ in range(ROUNDS):
            heads = [] if self._is_over() else self._fuller(heads[:MOST_HEADS], known)
            known |= {one.test: one for one in heads}
        needed = frozenset().union(*(needed for needed, _covered in group.values()))
        at_once = self._weighed(known) if len(known) > len(group) else known
        known = known if self._is_over() else at_once
        kept = (
            self._shorter(known[one], needed)
            for one in without_repeated(known, needed, self._is_mere_cover)
            if not answers_nonsense(one, self._units[one.act.unit], known[one].result)
        )
        return {one: group.get(one, NO_DUTY) for one in kept}

    def _is_mere_cover(self, one: Weighed) -> bool:
        """Say whether it is no reason for a test that it covers more.

        It has an option without which the tested call ends in the same way, or two things differ.
        """
        operator = self._units[one.test.act.unit].operator
        if operator is not None and operator.call is eq and one.result.value is False:
            return True
        options = own_options(one.test)
        return any(self._is_same(one.test, place, gene.left_out()) for place, gene in options)

    def _shorter(self, one: Weighed, needed: frozenset[TargetId]) -> UnitTest:
        """Return a test without calls and options without which it says as much."""
        is_mere_cover = self._is_mere_cover(one)
        variants = list(shorter_variants(one.test))
        weighed = self._weighed([one.test, *variants]) if variants else {}
        one = weighed.pop(one.test, one)
        said = one.said if is_mere_cover else one.parts(needed)
        shorter = weighed.values()
        short = (each for each in shorter if said <= (each.said | each.parts(needed)))
        found = next((each for each in short if _ending(each.result) == _ending(one.result)), None)
        return one.test if found is None else self._shorter(found, needed)

    def _used(self, group: Mapping[UnitTest, Duty]) -> Iterator[tuple[UnitTest, Duty]]:
        """Yield the tests that use all arguments whose types nothing shows.

        Any other value could stand there: one that is left out then, or leaves a test that says
        what no one would write.
        """
        for test, duty in group.items():
            found: UnitTest | None = test
            for place in self._unsure(test):
                if found is not None and self._is_same(found, place, OPAQUE):
                    found = self._without(found, place)
            if found is not None:
                yield found, duty

    def _without(self, test: UnitTest, place: tuple[int, int]) -> UnitTest | None:
        """Return a test without an argument that it does not use, or with a plain one."""
        gene = dict(test.genes())[place]
        if gene.left_out().value() is ABSENT and self._is_same(test, place, gene.left_out()):
            return test.with_gene(place, gene.left_out())
        run, _covered = self._execute(test, apart=False)
        is_plain = type(gene.value()) in (str, int, float)
        if not ends_with_error(run):
            return None
        return test if is_plain else test.with_gene(place, ConstantGene(NUMBERS[0]))

    def _is_same(self, test: UnitTest, place: tuple[int, int], gene: Gene) -> bool:
        """Say whether a test ends in the same way with another argument."""
        runs = [self._execute(one, apart=False)[0] for one in (test, test.with_gene(place, gene))]
        return repr(runs[0].results[-1:]) == repr(runs[1].results[-1:])

    def _fuller(self, heads: Sequence[Weighed], known: Mapping[UnitTest, Weighed]) -> list[Weighed]:
        """Return the best variant of each test that says more, and one that says what none did."""
        variants = {head.test: self._variants(head.test) for head in heads}
        weighed = self._weighed_in_turn(variants)
        found = []
        for head in (weighed.pop(head.test, head) for head in heads):
            tried = [weighed[one] for one in variants[head.test] if one in weighed]
            more = [one for one in tried if one.says_more_than(head)]
            found += [max(more, key=weight_of)] if more else []
        said = frozenset().union(*(one.said for one in (*known.values(), *found)))
        news = max(weighed.values(), key=lambda one: len(one.said - said), default=None)
        return [*found, news] if news is not None and news.said - said else found

    def _weighed_in_turn(
        self, variants: Mapping[UnitTest, Sequence[UnitTest]]
    ) -> dict[UnitTest, Weighed]:
        """Return what tests and their variants say.

        The first variant of each test is weighed, then the second of each, as many as may be.
        """
        turns = filter(None, chain.from_iterable(zip_longest(*variants.values())))
        chosen = list(islice(dict.fromkeys(turns), self._share))
        self._share -= len(chosen)
        return self._weighed([*variants, *chosen]) if chosen else {}

    def _weighed(self, tests: Iterable[UnitTest]) -> dict[UnitTest, Weighed]:
        """Return what tests say, of those that end as they should.

        Only tests that are weighed at once can be compared: it depends on all of them which changes
        are tried.
        """
        runs = {one: self._execute(one, apart=False) for one in tests}
        whole = {
            one: (run.results[-1], covered)
            for one, (run, covered) in runs.items()
            if not run.harm and ends_at_act(run, one)
            if not shows_nothing(self._units[one.act.unit], run.results[-1])
        }
        powers = self._changes.powers({one: self._own(one, whole[one][1]) for one in whole})
        hollow = self._changes.hollow(whole)
        return {
            one: Weighed(
                *(one, powers.get(one, frozenset()), result, covered),
                is_trivial=one in hollow or self._made.is_plain(one, result),
            )
            for one, (result, covered) in whole.items()
        }

    def _own(self, test: UnitTest, covered: frozenset[TargetId]) -> frozenset[TargetId]:
        """Return what the tested call covers, without what the calls before it cover alone."""
        if len(test) == 1:
            return covered
        return covered - self._execute(UnitTest(test.calls[:-1]), apart=False)[1]

    def _variants(self, test: UnitTest) -> Sequence[UnitTest]:
        """Return variants with one more option of an object, or one more call on it."""
        ordinary = next(ordinary_variants(test))
        ways = (
            *((ordinary,), self._with_equal_operand(test), self._with_one_more_call(test)),
            *map(self._with_one_more_option, (test, ordinary)),
        )
        others = (one for one in dict.fromkeys(chain.from_iterable(ways)) if one != test)
        return list(islice(others, VARIANTS))

    def _with_equal_operand(self, test: UnitTest) -> Iterator[UnitTest]:
        """Yield the test with an argument that equals the object, to differ in one part later."""
        maker = test.calls[0]
        same = made_of(self._units[maker.unit], maker.arguments) if len(test) == 2 else None
        for place, gene in test.genes() if same is not None else ():
            for path, one in walk(gene) if place[0] else ():
                if isinstance(one, MadeGene) and same and one.function == same.function:
                    yield test.with_gene(place, replaced(gene, path, same))

    def _with_one_more_option(self, test: UnitTest) -> Iterator[UnitTest]:
        """Yield variants in which an object gets one more option: the test's, or one it passes."""
        is_class = self._units[test.act.unit].kind is Kind.CLASS
        for place, gene in test.genes():
            is_made = is_class or place[0] < len(test) - 1
            for path, leaf in walk(gene):
                if (is_made or path) and leaf.is_optional and leaf.value() is ABSENT:
                    filled = filled_gene(leaf, sum(place) + len(path))
                    if filled is not None:
                        yield test.with_gene(place, replaced(gene, path, filled))

    def _with_one_more_call(self, test: UnitTest) -> Iterator[UnitTest]:
        owner = self._units[test.act.unit].owner
        for call in self._calls.get(owner, ()) if len(test) <= ROUNDS + 1 else ():
            for one in dict.fromkeys((echoing(call, test.act), call)):
                yield UnitTest((*test.calls[:-1], one, test.act))


def without_repeated(
    known: Mapping[UnitTest, Weighed],
    needed: frozenset[TargetId],
    is_mere_cover: Callable[[Weighed], bool],
) -> list[UnitTest]:
    """Return the tests without those that say nothing which others do not say.

    Tests of objects that hold nothing go first, then long ones.  A function may give nothing, or
    what it got, in a case of its own (``fibonacci(0) == 0``), if another test needs its body.
    """
    parts = {
        test: one.said if is_mere_cover(one) else one.parts(needed) for test, one in known.items()
    }
    order = sorted(known, key=lambda one: (not is_empty(one), *(-at for at in size_of(one))))
    for test in order:
        others = frozenset().union(*(said for one, said in parts.items() if one is not test))
        is_told = any(not known[one].is_idle for one in parts if one is not test)
        is_idle = known[test].is_idle and not (is_told and known[test].is_case)
        if parts[test] <= others or is_idle:
            del parts[test]
    return list(parts)


def _ending(result: Result) -> tuple[object, ...]:
    return result.end, type(result.value), result.raised and result.raised.message
