"""Makes tests of units simpler, step by step, while they cover what they were picked for.

few options -> a result that says more -> short and small -> ordinary values -> options that act
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from itertools import chain
from itertools import islice
from typing import Protocol

from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.units.unit_variants import shorter_variants
from pytest_evosearch.minimize.ordinary import with_ordinary_values
from pytest_evosearch.minimize.reducible import simplified
from pytest_evosearch.problem.units.little_said import says_little
from pytest_evosearch.problem.units.little_said import without_echo
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import options
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

UsualAt = Callable[[UnitTest, tuple[int, int]], Usual]
"""Returns what people would pass at a place of a test."""

TRIALS = 80
"""Executions for making one test simpler."""

ORDINARY_TRIALS = 60
"""Executions for giving one test ordinary values."""

MOST_OTHERS = 12
"""Other tests whose values are tried with an option that changes nothing."""


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


def ends_at_act(run: Run, test: UnitTest) -> bool:
    """Say whether every call of a test ran, and the last one returned or raised."""
    return len(run.results) == len(test) and run.results[-1].end in (End.RETURNED, End.RAISED)


def ends_with_error(run: Run) -> bool:
    """Say whether the last call of a test raised an exception."""
    return run.last is not None and run.last.end is End.RAISED


class UnitSimplifier:
    """Makes tests simpler while they cover what they were picked for, step by step."""

    def __init__(
        self,
        execute: Execute,
        is_over: Callable[[], bool],
        known: Sequence[UnitTest],
        units: Mapping[str, Unit],
        usual: UsualAt,
    ) -> None:
        self._execute = execute
        self._is_over = is_over
        self._known = sorted(known, key=size_of)
        self._units = units
        self._usual = usual
        self._last: tuple[UnitTest, tuple[Run, frozenset[TargetId]]] | None = None

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
        for one in chain(with_usual_values(test, self._usual), islice(others, MOST_OTHERS)):
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
        before, _covered = self._executed(test)
        worth = self._worth(test)

        def keeps(candidate: UnitTest) -> bool:
            if self._is_over() or not self._keeps(needed, candidate, before):
                return False
            return self._worth(candidate) >= worth

        return with_ordinary_values(test, keeps, ORDINARY_TRIALS, usual=self._usual)

    def acting(self, test: UnitTest, needed: frozenset[TargetId]) -> UnitTest:
        """Take other values where an option changes nothing: the first with which it does.

        Where the test ends with an exception, such an option goes, whatever it covers on the way.
        """
        if ends_with_error(self._executed(test)[0]):
            return self._without_idle(test)
        for place, gene in own_options(test):
            bare = test.with_gene(place, gene.left_out())
            if self._keeps(needed, bare):
                test = bare
            elif not self._is_over() and self._told(bare) == self._told(test):
                test = self._first_acting(test, place, needed) or test
        return test

    def _without_idle(self, test: UnitTest) -> UnitTest:
        told = self._told(test)
        for place, gene in list(options(test)):
            bare = test.with_gene(place, gene.left_out())
            if self._keeps(frozenset(), bare) and self._told(bare) == told:
                test = bare
        return test

    def effective(self, test: UnitTest) -> UnitTest | None:
        """Return a test with values with which each option acts; None where none are known.

        This is for a test without a duty: that an option changes nothing is no reason for it.
        """
        for place, gene in own_options(test):
            if self._is_over():
                break
            if self._told(test.with_gene(place, gene.left_out())) == self._told(test):
                acting = self._first_acting(test, place, frozenset())
                if acting is None:
                    return None
                test = acting
        return test

    def focused(self, test: UnitTest) -> UnitTest:
        """Leave out calls and options without which the tested call does the same."""
        if self._is_over() or not ends_at_act(self._executed(test)[0], test):
            return test
        for shorter in shorter_variants(test):
            if self._told(shorter) == self._told(test) and self._is_as_covered(test, shorter):
                return self.focused(shorter)
        return test

    def _is_as_covered(self, test: UnitTest, shorter: UnitTest) -> bool:
        """Say whether another test covers what the tested call of a test covers itself."""
        covered = self._execute(test, apart=False)[1]
        if len(test) > 1:
            covered -= self._execute(UnitTest(test.calls[:-1]), apart=False)[1]
        return covered <= self._execute(shorter, apart=False)[1]

    def _first_acting(
        self, test: UnitTest, place: tuple[int, int], needed: frozenset[TargetId]
    ) -> UnitTest | None:
        gene = dict(test.genes())[place]
        alike = (one for one in self._known if _shape_of(one) == _shape_of(test))
        others = islice(alike, MOST_OTHERS)
        bare = test.with_gene(place, gene.left_out())
        without = (
            *((one.bare(), one.with_gene(place, gene.left_out())) for one in others),
            tuple(with_usual_values(bare, self._usual)),
        )
        for bare in dict.fromkeys(chain.from_iterable(without)):
            candidate = bare.with_gene(place, gene)
            if self._keeps(needed, candidate) and self._told(candidate) != self._told(bare):
                return candidate
        told = self._told(test.with_gene(place, gene.left_out()))
        named = islice(_with_words_of_others(test, place), MOST_OTHERS)
        acting = (one for one in named if self._keeps(needed, one) and self._told(one) != told)
        return next(acting, None)

    def with_idle(self, specimen: UnitSpecimen) -> UnitSpecimen:
        """Return a specimen with the options without which what it asserts is the same."""
        test, result = specimen.test, specimen.result
        told = repr(_asserted(result))
        names = [name for name, _gene in test.act.arguments]
        idle = frozenset(
            names[place[1]]
            for place, gene in own_options(test)
            if self._told_like(result, test.with_gene(place, gene.left_out())) == told
        )
        return replace(specimen, idle=idle)

    def _told_like(self, result: Result, test: UnitTest) -> str:
        """Return what another test tells of what is asserted of a result."""
        run, _covered = self._executed(test)
        last = run.last if len(run.results) == len(test) else None
        if last is None:
            return ""
        told, value = without_echo(test, last), result.value
        if isinstance(value, Instance) and isinstance(told.value, Instance):
            shown = dict(value.attributes)
            kept = tuple(one for one in told.value.attributes if one[0] in shown)
            told = replace(told, value=replace(told.value, attributes=kept))
        return repr(_asserted(told))

    def _executed(self, test: UnitTest) -> tuple[Run, frozenset[TargetId]]:
        """Execute a test, once for all questions about it that follow one another."""
        if self._last is None or self._last[0] is not test:
            self._last = test, self._execute(test, apart=False)
        return self._last[1]

    def _worth(self, test: UnitTest) -> Worth:
        run, covered = self._executed(test)
        if not ends_at_act(run, test) or not has_answer(covered):
            return Worth.NONE
        is_little = says_little(test, self._units[test.act.unit], run.results[-1])
        return Worth.LITTLE if is_little else Worth.MUCH

    def _told(self, test: UnitTest) -> str:
        run, _covered = self._executed(test)
        whole = run.results[-1:] if len(run.results) == len(test) else ()
        return repr([_asserted(without_echo(test, one)) for one in whole])

    def _keeps(
        self,
        needed: frozenset[TargetId],
        candidate: UnitTest,
        before: Run | None = None,
    ) -> bool:
        run, covered = self._executed(candidate)
        if run.harm or not ends_at_act(run, candidate) or not needed <= covered:
            return False
        return before is None or _ends_alike(before.results[-1], run.results[-1])


def with_usual_values(test: UnitTest, usual: UsualAt) -> Iterator[UnitTest]:
    """Yield tests with one other argument, which people would pass."""
    for place, gene in test.genes():
        for value in usual(test, place).values if gene.value() is not ABSENT else ():
            adopted = gene.adopt(value)
            if adopted is not None:
                yield test.with_gene(place, adopted)


def _with_words_of_others(test: UnitTest, place: tuple[int, int]) -> Iterator[UnitTest]:
    """Yield tests in which an argument names a word, or a character, of another text."""
    gene = dict(test.genes())[place]
    others = (one.value() for at, one in test.genes() if at != place)
    words = (part for one in others if isinstance(one, str) for part in (*one.split(), one[:1]))
    for word in dict.fromkeys(filter(None, words)):
        for path, leaf in walk(gene):
            adopted = leaf.adopt(word) if isinstance(leaf, TextGene) else None
            if adopted is not None:
                yield test.with_gene(place, replaced(gene, path, adopted))


def own_options(test: UnitTest) -> list[tuple[tuple[int, int], Gene]]:
    """Return the genes of the options that the tested call gets, with their places."""
    return [(place, gene) for place, gene in options(test) if place[0] == len(test) - 1]


def _shape_of(test: UnitTest) -> list[str]:
    """Return the units that a test calls, however the object of a method is made."""
    return [call.unit for call in test.calls[1:] or test.calls]


def has_answer(covered: frozenset[TargetId]) -> bool:
    """Say whether a test ends with an answer of the unit, and not with an error of others."""
    return any(kind_of(one) == STATUS for one in covered)


def _asserted(result: Result) -> Result:
    """Return a result as a test asserts it: of an object with elements nothing but these."""
    value = result.value
    if not isinstance(value, Instance) or value.elements is None:
        return result
    return replace(result, value=replace(value, attributes=()))


def _ends_alike(before: Result, now: Result) -> bool:
    """Say whether two calls ended in the same way and told the same kind of thing, or now more."""

    def ending(one: Result) -> tuple[object, ...]:
        value = one.value if isinstance(one.value, bool) else type(one.value)
        kind = one.raised.kind if one.raised is not None else value
        return one.end, kind, bool(one.printed), one.passed

    return ending(before) == ending(now) and bool(before.changed) <= bool(now.changed)
