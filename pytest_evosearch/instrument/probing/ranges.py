"""The probe of ``low <= value <= high`` where the value is computed.

What is computed must be computed once, so that such a chain cannot be split as ``low <= x <= high``
is (`decisions.split_chain`).  The probe gets all three operands, and counts as the chain would:
true by the mean of what its two comparisons lack, false by the one that lacks less.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
from typing import Any

from pytest_evosearch.core.comparison_signs import MIRRORED
from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.instrument.distances import distance
from pytest_evosearch.instrument.distances.lengths import texts_of_length
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
    """Watches ``left operator middle operator right``, each of which is computed once."""

    __slots__ = ("first", "relations", "second")

    relations: tuple[str, str]
    """What has to hold between the value and the left limit, and the right one."""

    def __init__(self, journal: Journal, slots: ProbeSlots, site: ConditionSite) -> None:
        first, second = site.operation.split()
        self.first, self.second = OPERATIONS[first], OPERATIONS[second]
        self.relations = MIRRORED[first], second
        super().__init__(journal, slots, site)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.perform if self.tested else self.perform_later

    def perform(self, left: Any, middle: Any, right: Any, measured: Any = None) -> Any:
        """Compare once and note the result; what it raises, the condition raises."""
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
        """Compare once, note a result that is a bool, and return a function for it."""
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
                hints += texts_of_length(measured, relation, limit)
                continue
            hints.append((relation, middle, limit))
            if not literal:
                hints.append((MIRRORED[relation], limit, middle))
        return hints

    def _lacking(self, outcome: bool, operands: tuple[Any, ...]) -> Iterator[tuple[str, Any, bool]]:
        """Yield what should hold of the value for the other outcome, with which limit.

        Each is a relation, a limit, and whether that is a literal.  Nothing is told of objects
        whose comparison may be anybody's code.
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
