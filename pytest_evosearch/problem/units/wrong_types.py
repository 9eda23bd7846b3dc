"""Types of arguments that the code has refused by accident: no test passes one again.

Of some parameters nothing shows the type, so they get a word or a number.  Where a method then says
that this type has no such attribute or operator, the word was wrong from the beginning, although
the constructor took it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.standins.error_messages import missing_attribute
from pytest_evosearch.standins.error_messages import types_in

Passed = tuple[str, str, str]
"""Unit, parameter, and the type of what is passed."""


class WrongTypes:
    """What was passed where nothing shows a type, and was refused by accident."""

    def __init__(self, units: Mapping[str, Unit], arguments: Arguments) -> None:
        self._units = units
        self._arguments = arguments
        self._known: set[Passed] = set()
        self._suspects: dict[tuple[str, int, str], set[Passed]] = {}
        """Place and message of an error -> what all tests passed that ended with it."""

    def learn(self, test: UnitTest, run: Run) -> None:
        """Take over what an error shows: one argument had a type that it names, each time."""
        raised = run.last.raised if run.last is not None else None
        if raised is None or raised.is_own or raised.kind.module != "builtins":
            return
        if raised.kind.name not in (TypeError.__name__, AttributeError.__name__):
            return
        named = {missing_attribute(raised.message)[0], *types_in(raised.message)}
        passed = (one for call in test.calls for one in _passed(call) if one[2] in named)
        blamed = {one for one in passed if self._is_doubtful(one[0], one[1])}
        place = raised.path, raised.line, raised.message
        suspects = self._suspects[place] = self._suspects.get(place, blamed) & blamed
        if len(suspects) == 1:
            self._known |= suspects

    def _is_doubtful(self, unit: str, name: str) -> bool:
        confirmation = self._arguments.confirmation(self._units[unit], (name,))
        return confirmation is Confirmation.NONE

    def has(self, test: UnitTest) -> bool:
        """Say whether a test passes what was refused."""
        return any(self.has_call(call) for call in test.calls)

    def has_call(self, call: UnitCall) -> bool:
        """Say whether a call passes what was refused."""
        return bool(self._known) and not self._known.isdisjoint(_passed(call))

    def unsure_places(self, test: UnitTest) -> list[tuple[int, int]]:
        """Return the places of arguments whose types nothing shows."""
        return [
            place
            for place, gene in test.genes()
            if gene.value() is not ABSENT
            and self._is_doubtful((call := test.calls[place[0]]).unit, call.arguments[place[1]][0])
        ]


def _passed(call: UnitCall) -> Iterator[Passed]:
    for name, value in call.values().items():
        inside = [value, *(value if isinstance(value, (list, tuple)) else ())]
        yield from {(call.unit, name, type(one).__name__) for one in inside}
