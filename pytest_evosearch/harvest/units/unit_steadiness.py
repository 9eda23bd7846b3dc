"""Takes other tests where one ends differently each time: several that cover as much together.

What such tests have in common is suspected, so that others without it are tried first.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from itertools import islice

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.harvest.units.unit_enriching import Covered
from pytest_evosearch.harvest.units.unit_enriching import Duty
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

MOST_STEADY = 8
"""Most other tests that are tried where one ends differently each time."""

Simpler = Callable[[UnitTest, frozenset[TargetId]], UnitTest]
"""Returns a simpler test that still covers something."""

Repeat = Callable[[UnitTest], UnitSpecimen | None]
"""Executes a test twice; returns None where it ends differently."""


def steady_specimens(
    test: UnitTest, duty: Duty, tried: Covered, simpler: Simpler, repeat: Repeat
) -> Iterator[UnitSpecimen]:
    """Yield the specimens of tests that cover what a test was chosen for, and end alike twice."""
    left, suspected = duty
    alike = [one for one in sorted(tried, key=size_of) if one.act.unit == test.act.unit]
    for _ in range(MOST_STEADY):
        useful = [one for one in alike if left & tried[one]]
        if not useful:
            return
        other = max(useful, key=lambda one: (not suspected <= tried[one], len(left & tried[one])))
        alike.remove(other)
        if repeat(other) is None:
            suspected &= tried[other]
            continue
        tests = dict.fromkeys((simpler(other, left & tried[other]), other))
        yield from islice(filter(None, map(repeat, tests)), 1)
        left -= tried[other]
