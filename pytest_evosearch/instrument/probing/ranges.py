"""The probe of ``low <= value <= high`` with a computed value.

The value must be computed only once, so this chain cannot be split like ``low <= x <= high``
(`decisions.split_chain`). The probe receives all three operands, and scores like the chain: for
true, the mean of its two comparisons' scores; for false, the better of them.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
from typing import Any

from pytest_evosearch.core.comparison_signs import MIRRORED
from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.instrument.distances import distance
from pytest_evosearch.instrument.distances.lengths import wishes_of_length
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.operations import OPERATIONS
from pytest_evosearch.instrument.probing.operations import Failure
from pytest_evosearch.instrument.probing.operations import same
from pytest_evosearch.instrument.probing.operations import truth
from pytest_evosearch.instrument.probing.operations import within
from pytest_evosearch.instrument.probing.probes import ConditionProbe
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.transformation.plan import ConditionSite

BOUNDS = ("left", "right")


class RangeProbe(ConditionProbe):
    """Watches ``left operator middle operator right``; each operand is computed once."""

    __slots__ = ("first", "relations", "second")

    relations: tuple[str, str]
    """Required relations of the value to the left limit, and to the right one."""

    def __init__(self, journal: Journal, slots: ProbeSlots, site: ConditionSite) -> None:
        first, second = site.operation.split()
        self.first, self.second = OPERATIONS[first], OPERATIONS[second]
        self.relations = MIRRORED[first], second
        super().__init__(journal, slots, site)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.perform if self.tested else self.perform_later

    def perform(self, left: Any, middle: Any, right: Any, measured: Any = None) -> Any:
        """Compare once and note the result; the condition raises what the comparison raises."""
        result = within(self.first, self.second, left, middle, right)
        if type(result) is Failure:
            return result
        outcome = result if result is True or result is False else truth(result)
        if type(outcome) is bool:
            self.note(outcome, left, middle, right, measured)
        return outcome

    def perform_later(
        self, left: Any, middle: Any, right: Any, measured: Any = None
    ) -> Callable[[], Any]:
        """Compare once, note a result that is a bool, and return a function that returns it."""
        result = within(self.first, self.second, left, middle, right)
        if type(result) is Failure:
            return result.raiser
        if result is True or result is False:
            self.note(result, left, middle, right, measured)
        return partial(same, result)

    def is_text(self, operands: tuple[Any, ...]) -> bool:
        """See `ConditionProbe.is_text`: lengths of a text."""
        *compared, measured = operands
        return type(measured) is str and all(type(one) is int for one in compared)

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        middle = operands[1]
        lacking = [
            distance.nearness(relation, middle, limit)
            for relation, limit, _literal in self._lacking(outcome, operands)
        ]
        if not lacking:
            return distance.FLAG
        if outcome:
            return max(lacking)
        return (sum(lacking) + len(BOUNDS) - len(lacking)) / len(BOUNDS)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        middle, measured = operands[1], operands[-1]
        hints: list[tuple[str, Any, Any]] = []
        for relation, limit, literal in self._lacking(outcome, operands):
            if measured is not None:
                hints += wishes_of_length(measured, middle, relation, limit)
                continue
            hints.append((relation, middle, limit))
            if not literal:
                hints.append((MIRRORED[relation], limit, middle))
        return hints

    def _lacking(self, outcome: bool, operands: tuple[Any, ...]) -> Iterator[tuple[str, Any, bool]]:
        """Yield the conditions on the value for the other outcome.

        Each is a relation, a limit, and whether that is a literal. Objects whose comparison may run
        foreign code are ignored.
        """
        left, middle, right, _measured = operands
        if not distance.SCALARS.issuperset(map(type, operands[:3])):
            return
        literals = self.site.literal_left, self.site.literal_right
        for relation, limit, literal in zip(self.relations, (left, right), literals, strict=True):
            if outcome:
                yield NEGATED[relation], limit, literal
            elif not OPERATIONS[relation](middle, limit):
                yield relation, limit, literal

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """See `ConditionProbe.operands_of`."""
        return operands[:3]
