"""DynaMOSA: MOSA with objectives that appear when the conditions before them are covered.

    objectives = uncovered targets that depend on nothing, or of whose controlling branches
                 one is covered
    everything else as in MOSA

Source: A. Panichella, F. Kifetew, P. Tonella, "Automated test case generation as a many-objective
optimisation problem with dynamic selection of the targets", TSE 2018.
`SearchContext.control_dependencies` gives the dependences, read from the instrumented source.

An objective stays until it is covered.  A score is 0 until its condition is evaluated.  So in MOSA
all targets behind an uncovered branch prefer the shortest test.  In DynaMOSA they have no effect.
Nor has a target that was reached without its controlling branches, until one of these is covered.
"""

from __future__ import annotations

from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.mosa import Mosa
from pytest_evosearch.search.mosa import MosaParameters
from pytest_evosearch.search.ranking import Objectives

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class DynaMosa(Mosa[I], Generic[I]):
    """DynaMOSA behind `ask` and `tell`."""

    def __init__(self, context: SearchContext[I], parameters: MosaParameters | None = None) -> None:
        super().__init__(context, parameters)
        self._free: dict[TargetId, None] = {}
        """Targets whose dependences are satisfied; they stay so, because coverage never falls."""

    def _objectives(self) -> Objectives:
        """Return the uncovered targets whose control dependences are satisfied."""
        archive = self._context.archive
        return Objectives(
            includes=lambda target: not archive.is_covered(target) and self._is_free(target),
            unreached=self._more_are_free,
        )

    def _more_are_free(self, touched: int) -> bool:
        free = 0
        for target in self._context.archive.uncovered_targets():
            free += self._is_free(target)
            if free > touched:
                return True
        return False

    def _is_free(self, target: TargetId) -> bool:
        if target in self._free:
            return True
        controlling = self._context.control_dependencies(target)
        if controlling and not any(map(self._context.archive.is_covered, controlling)):
            return False
        self._free[target] = None
        return True
