"""Selectors that learn nothing, or only count.

random       any action
unvisited    an action that was not done in this state, else any
least-used   one of the actions that were done least, counted over all states
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step


@dataclass(frozen=True)
class NoParameters:
    """These selectors have no parameters."""


class RandomSelector:
    """Draws any action."""

    parameters_type = NoParameters
    prefix = "walks"

    def __init__(self, parameters: NoParameters | None = None) -> None:
        self.parameters = parameters or NoParameters()

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return any offer."""
        return rng.choice(situation.offers)

    def tell(self, step: Step) -> None:
        """Learn nothing."""


class UnvisitedSelector:
    """Draws among the actions that were not done in this state."""

    parameters_type = NoParameters
    prefix = "walks"

    def __init__(self, parameters: NoParameters | None = None) -> None:
        self.parameters = parameters or NoParameters()
        self._done: set[tuple[str, Offer]] = set()

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return an offer that is new here; any where all were done."""
        offers = situation.offers
        new = [one for one in offers if (situation.state, one) not in self._done]
        return rng.choice(new or offers)

    def tell(self, step: Step) -> None:
        """Note that an action was done in its state."""
        self._done.add((step.before.state, step.taken))


class LeastUsedSelector:
    """Draws among the actions that were done least, wherever that was."""

    parameters_type = NoParameters
    prefix = "walks"

    def __init__(self, parameters: NoParameters | None = None) -> None:
        self.parameters = parameters or NoParameters()
        self._uses: dict[Offer, int] = {}

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return one of the offers with the fewest uses."""
        return rng.choice(least(situation.offers, lambda one: self._uses.get(one, 0)))

    def tell(self, step: Step) -> None:
        """Count a use."""
        self._uses[step.taken] = self._uses.get(step.taken, 0) + 1


def least(offers: Sequence[Offer], count: Callable[[Offer], int]) -> list[Offer]:
    """Return the offers with the smallest count, in order."""
    counts = [count(one) for one in offers]
    fewest = min(counts)
    return [one for one, number in zip(offers, counts, strict=True) if number == fewest]
