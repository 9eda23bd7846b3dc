"""Adds tests that detect small changes of the source which the chosen tests overlook.

for each change in code that tests run: try the chosen tests
for each change that is not detected: try further tests of the units, and add one that does
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import line_target
from pytest_evosearch.execution.mutating.mutations import Mutation
from pytest_evosearch.harvest.units.unit_reduction import UsualAt
from pytest_evosearch.harvest.units.unit_reduction import with_usual_values
from pytest_evosearch.minimize.ordinary import ordinary_variants
from pytest_evosearch.minimize.reducible import simpler_tests
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import with_few_options

Covered = Mapping[UnitTest, frozenset[TargetId]]
"""Tests with what they cover."""

MOST_CHANGES = 500
"""Most changes of all modules that are tried."""

FEWEST_CHANGES = 60
"""Changes of each module that are tried in any case."""

WAVES = 6
"""Times that a test is made simpler that detects a change."""

VARIANTS = 30
"""Simpler variants of one test that are tried at once, the simplest first."""

BATCH = 25
"""Changes that one process tries: each compiles the module anew."""


class Try(Protocol):
    """Tries tests on changes of one module."""

    def __call__(
        self, numbers: Sequence[int], tests: Sequence[UnitTest]
    ) -> Mapping[int, int | None]:
        """Return change -> the first test that detects it; a change may be missing."""
        ...


class Strengthening:
    """The tests of one module, and what is added to them."""

    def __init__(
        self,
        path: str,
        mutations: Sequence[Mutation],
        attempt: Try,
        is_over: Callable[[], bool],
        usual: UsualAt,
        modules: int = 1,
    ) -> None:
        self._path = path
        most = max(FEWEST_CHANGES, MOST_CHANGES // modules)
        self._mutations = list(mutations)[:: max(1, len(mutations) // most)]
        self._lines = {one.number: one.line for one in self._mutations}
        self._attempt = attempt
        self._is_over = is_over
        self._usual = usual
        self.detected = 0
        self.tried = 0

    def added(self, chosen: Covered, further: Covered) -> list[UnitTest]:
        """Return tests to add to the chosen ones, of `further`; both with what they cover."""
        reached = frozenset().union(*chosen.values(), *further.values())
        numbers = [
            one.number for one in self._mutations if line_target(self._path, one.line) in reached
        ] or [one.number for one in self._mutations]
        left = self._undetected(numbers, chosen)
        self.tried, self.detected = len(numbers), len(numbers) - len(left)
        found: list[UnitTest] = []
        while left and not self._is_over():
            batch, left = left[:BATCH], left[BATCH:]
            running = self._running(batch, further)
            answers = self._attempt(batch, running)
            known = {one: at for one in batch if (at := answers.get(one)) is not None}
            self.detected += sum(at < 0 for at in known.values())  # a loop without end
            killers = [(number, at) for number, at in known.items() if at >= 0]
            while killers and not self._is_over():
                number, at = killers[0]
                test = self._simpler(running[at], number)
                found.append(test)
                numbers = [one for one, _at in killers]
                shown = self._attempt(numbers, [test])
                rest = {one for one in numbers if shown.get(one) is None and one != number}
                self.detected += len(killers) - len(rest)
                killers = [pair for pair in killers if pair[0] in rest]
                if left:
                    again = self._attempt(left, [test]) if len(left) <= BATCH else {}
                    self.detected += sum(again.get(one) is not None for one in left)
                    left = [one for one in left if again.get(one) is None]
        return found

    def _running(self, numbers: Sequence[int], further: Covered) -> list[UnitTest]:
        """Return the tests that run the code of some changes: no other test detects one."""
        lines = {line_target(self._path, self._lines[number]) for number in numbers}
        return [test for test, covered in further.items() if lines & covered] or [*further]

    def _undetected(self, numbers: Sequence[int], tests: Covered) -> list[int]:
        left: list[int] = []
        for start in range(0, len(numbers), BATCH):
            batch = numbers[start : start + BATCH]
            answers = {} if self._is_over() else self._attempt(batch, self._running(batch, tests))
            left += [number for number in batch if answers.get(number) is None]
        return left

    def _simpler(self, test: UnitTest, number: int) -> UnitTest:
        """Return a simple variant that detects a change, found in a few waves of variants.

        It has few options, and values that people would pass, or ordinary ones, if one such variant
        detects the change, too.
        """
        test = self._first(list(with_few_options(test)), number) or test
        for _ in range(WAVES):
            simpler = self._first(list(islice(simpler_tests(test), VARIANTS)), number)
            if simpler is None:
                break
            test = simpler
        usual = islice(with_usual_values(test, self._usual), VARIANTS)
        return self._first([*usual, *ordinary_variants(test)], number) or test

    def _first(self, candidates: Sequence[UnitTest], number: int) -> UnitTest | None:
        """Return the first test that detects a change."""
        if not candidates or self._is_over():
            return None
        at = self._attempt([number], candidates).get(number)
        return candidates[at] if at is not None and at >= 0 else None
