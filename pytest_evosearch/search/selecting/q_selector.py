"""Q-learning as the systems did that test user interfaces: the best action, greedily.

    an action that was not done in a state:   Q(s, a) = R_MAX
    after an action from s to s':             Q(s, a) = 1 / (times a was done in s)
                                                        + discount * max over a' of Q(s', a')

There is no learning rate and no chance, except among equals.  A falling discount is smaller with
more actions n of s': 0.9 * exp(-0.1 * (n - 1)).

Sources: A. Esparcia-Alcazar et al., "Q-learning strategies for action selection in the TESTAR
automated testing tool", META 2016 (R_MAX, discount); S. Bauersfeld, T. Vos, "A reinforcement
learning approach to automated GUI robustness testing", SSBSE 2012 (the falling discount).
"""

from __future__ import annotations

import math

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.settings.tunables import tuned

FALLING_START, FALLING_RATE = 0.9, 0.1
"""The falling discount with one action, and how fast it falls with more."""


@dataclass(frozen=True)
class QSelectorParameters:
    """Parameters of Q-learning; the defaults are the best settings of the source."""

    unused: float = tuned(9_999_999.0, 0.0, 1e12)
    """Value of an action that was not done in its state."""
    discount: float = tuned(0.95, 0.0, 0.999)
    """Weight of the best action of the next state."""
    discounting: str = tuned("constant", choices=("constant", "falling"))
    """Whether the discount falls with the number of actions of the next state."""


class QSelector:
    """Chooses the action with the greatest value."""

    parameters_type = QSelectorParameters
    prefix = "walks"

    def __init__(self, parameters: QSelectorParameters | None = None) -> None:
        self.parameters = parameters or QSelectorParameters()
        self._values: dict[tuple[str, Offer], float] = {}
        self._uses: dict[tuple[str, Offer], int] = {}

    def value(self, state: str, offer: Offer) -> float:
        """Return Q(s, a)."""
        return self._values.get((state, offer), self.parameters.unused)

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return an offer with the greatest value, drawn among equals."""
        values = [self.value(situation.state, one) for one in situation.offers]
        best = max(values)
        pairs = zip(situation.offers, values, strict=True)
        return rng.choice([one for one, value in pairs if value == best])

    def tell(self, step: Step) -> None:
        """Update the value of an action."""
        place = step.before.state, step.taken
        uses = self._uses[place] = self._uses.get(place, 0) + 1
        after = step.after
        future = max((self.value(after.state, one) for one in after.offers), default=0.0)
        self._values[place] = 1.0 / uses + self._discount(len(after.offers)) * future

    def _discount(self, actions: int) -> float:
        if self.parameters.discounting == "constant":
            return self.parameters.discount
        return FALLING_START * math.exp(-FALLING_RATE * max(0, actions - 1))
