"""The probe of ``a & b`` and ``a - b`` where only the truth of the result is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_evosearch.instrument.probing.conditions import TruthProbe
from pytest_evosearch.instrument.probing.operations import Failure
from pytest_evosearch.instrument.probing.operations import truth
from pytest_evosearch.instrument.probing.set_wishes import SET_OPERATIONS
from pytest_evosearch.instrument.probing.set_wishes import is_set
from pytest_evosearch.instrument.probing.set_wishes import set_wishes


class SetProbe(TruthProbe):
    """Watches the truth of an operation on two values, which are sets mostly."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.perform

    def watching_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.watching_method`."""
        return self.perform

    def perform(self, left: Any, right: Any) -> Any:
        """Return the truth of the result; what the operation raises, the condition raises."""
        try:
            result = SET_OPERATIONS[self.site.operation](left, right)
        except BaseException as error:
            return Failure(error)
        outcome = truth(result)
        if type(outcome) is bool:
            self.note(outcome, result, left, right)
        return outcome

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """See `ConditionProbe.operands_of`."""
        return operands[1:]

    def is_text(self, operands: tuple[Any, ...]) -> bool:
        """See `ConditionProbe.is_text`."""
        return False

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`: only for members that are missing."""
        _result, left, right = operands
        if not (is_set(left) and is_set(right)):
            return super().comparisons(outcome, operands)
        wants_more = outcome is (self.site.operation == "-")
        operate = SET_OPERATIONS[self.site.operation]
        return set_wishes(operate, left, right) if wants_more else []
