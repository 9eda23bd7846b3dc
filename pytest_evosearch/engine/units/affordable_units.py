"""Chooses the units for which a budget suffices: some by lot, where there are many."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.units.unit import Unit

UNITS_A_SECOND = 10.0
"""Units for each second of a budget.

Each is called with stand-ins first, in a process of its own, and then by several tests.
"""


def affordable(units: Sequence[Unit], budget: Budget, rng: Random) -> list[Unit]:
    """Return as many units as a budget suffices for, in their order; classes keep their methods.

    With a budget of evaluations, each unit gets one test at least.
    """
    given = budget.evaluations
    most = given if given is not None else max(1, round(UNITS_A_SECOND * (budget.seconds or 0.0)))
    if len(units) <= most:
        return list(units)
    groups: dict[str, list[str]] = {}
    for one in units:
        groups.setdefault(one.owner or one.key, []).append(one.key)
    owners = list(groups)
    rng.shuffle(owners)
    drawn = [key for owner in owners for key in groups[owner]]
    chosen = set(drawn[:most])
    return [one for one in units if one.key in chosen]
