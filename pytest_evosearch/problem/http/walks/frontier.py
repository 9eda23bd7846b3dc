"""What walks have reached, the ways to it, and what was not tried there.

Pages hide much of what an application remembers: a cart page is the same screen before and after a
payment.  So a place is a state together with what was changed on the way to it, in any order:

    GET /cart 200     POST /cart
    GET /cart 200     POST /cart, POST /address, POST /payment

A walk returns to a place in order to do what was not done there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.screens.choosing import Offer

Changes: TypeAlias = "tuple[str, ...]"
"""The names of the actions that changed something, in alphabetical order, with repetitions."""

LONGEST_WAY = 18
"""Most requests on the way to a place where a walk begins: there must be room to go on."""


@dataclass
class Place:
    """A state after certain changes."""

    changes: Changes
    offers: tuple[Offer, ...]
    way: tuple[Call, ...]
    """The shortest known calls that lead here."""
    done: set[Offer] = field(default_factory=set)
    returns: int = 0
    """How many walks began here."""

    @property
    def untried(self) -> tuple[Offer, ...]:
        """What was not done here."""
        return tuple(one for one in self.offers if one not in self.done)

    @property
    def promise(self) -> float:
        """How much a walk from here promises: untried actions, few walks before, few changes."""
        return (1 + len(self.untried)) / (1 + self.returns) / (1 + len(self.changes))


class Frontier:
    """All places by their states."""

    def __init__(self) -> None:
        self._places: dict[str, dict[Changes, Place]] = {}

    def arrive(
        self, state: str, changes: Changes, offers: tuple[Offer, ...], calls: Sequence[Call]
    ) -> Place | None:
        """Return the place to which `calls` led; None where the way is too long to keep."""
        known = self._places.setdefault(state, {})
        place = known.get(changes)
        if place is None and len(calls) <= LONGEST_WAY:
            place = known[changes] = Place(changes, offers, tuple(calls))
        elif place is not None and len(calls) < len(place.way):
            place.way = tuple(calls)
        return place

    def draw(self, rng: Random) -> Place | None:
        """Return a place to begin at: a state is drawn, then one of its places."""
        reached = [list(known.values()) for known in self._places.values() if known]
        if not reached:
            return None
        places = rng.choices(reached, [max(one.promise for one in known) for known in reached])[0]
        place = rng.choices(places, [one.promise for one in places])[0]
        place.returns += 1
        return place
