"""What walks have learnt: the states, the actions of each, and where they led.

The abstraction of a page is coarse: a wizard may have one route and the same fields for five steps.
Where an action that changes something leads to a page of the same state with another heading (or
another hidden step), that state is divided by headings (or steps) from then on.  A state with more
than `MOST_PARTS` of them is not divided, because they are data.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.screens.screen import Screen

MOST_PARTS = 9
"""Most parts into which a state is divided: one more is a sign that they are data."""

_BY_HEADING: Callable[[Screen], str] = lambda screen: screen.heading  # noqa: E731
_BY_STEP: Callable[[Screen], str] = lambda screen: screen.step  # noqa: E731
DIVISIONS: tuple[Callable[[Screen], str], ...] = (_BY_HEADING, _BY_STEP)
"""Ways to divide a state, the best first."""


@dataclass
class StateRecord:
    """One state of the map."""

    offers: dict[Offer, int] = field(default_factory=dict)
    """Each action that was ever offered here -> how many times it was done."""
    led_to: dict[tuple[str, str], int] = field(default_factory=dict)
    """Name of an action and the state that it led to -> how many times."""
    visits: int = 0

    @property
    def tried(self) -> int:
        """How many of its actions were done."""
        return sum(times > 0 for times in self.offers.values())


class StateModel:
    """Names states, and counts what was done in each."""

    def __init__(self) -> None:
        self._records: dict[str, StateRecord] = {}
        self._parts: dict[tuple[str, int], dict[str, None]] = {}
        """State and number of a division -> what it told apart."""
        self._divided: dict[str, int] = {}
        """State -> the division by which it is divided."""
        self.longest_path = 0
        """The longest run of steps, in one walk, in which no state was repeated."""

    @property
    def records(self) -> Mapping[str, StateRecord]:
        """Every state that was visited, in order."""
        return self._records

    def name(self, screen: Screen) -> str:
        """Return the name of the state of `screen`, as far as it is divided now."""
        for number, division in enumerate(DIVISIONS):
            parts = self._parts.setdefault((screen.state, number), {})
            if len(parts) <= MOST_PARTS:
                parts[division(screen)] = None
        chosen = self._divided.get(screen.state)
        if chosen is None or len(self._parts[screen.state, chosen]) > MOST_PARTS:
            return screen.state
        return f"{screen.state} {DIVISIONS[chosen](screen)}".rstrip()

    def note_change(self, before: Screen, after: Screen) -> None:
        """Divide a state in which an action that changes something showed another page."""
        if before.state != after.state or before.state in self._divided:
            return
        for number, division in enumerate(DIVISIONS):
            if division(before) != division(after):
                self._divided[before.state] = number
                return

    def note_visit(self, state: str, offers: tuple[Offer, ...]) -> None:
        """Note that a walk has come to a state."""
        record = self._records.setdefault(state, StateRecord())
        record.visits += 1
        for offer in offers:
            record.offers.setdefault(offer, 0)

    def note(self, step: Step) -> None:
        """Note an action, and where it led."""
        record = self._records.setdefault(step.before.state, StateRecord())
        record.offers[step.taken] = record.offers.get(step.taken, 0) + 1
        edge = step.taken.name, step.after.state
        record.led_to[edge] = record.led_to.get(edge, 0) + 1


def united(
    walked: Mapping[str, StateRecord], browsed: Mapping[str, StateRecord]
) -> dict[str, StateRecord]:
    """Return all states; those that both know keep the actions of `walked`."""
    found = dict(walked)
    for name, record in browsed.items():
        known = found.get(name)
        if known is None:
            found[name] = record
        else:
            led_to = {**record.led_to, **known.led_to}
            found[name] = StateRecord(known.offers, led_to, known.visits + record.visits)
    return found
