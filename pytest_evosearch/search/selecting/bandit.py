"""A bandit: each walk is led by one of several selectors, rather by one whose walks gained much.

    weight of a selector = (what its walks gained + 1) / (number of its walks + 1)

Both sums fade, because what there is to gain changes during a search.  What a walk gains are the
targets that it reached first, and the screens.  Every selector learns from every step.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.screens.choosing import ActionSelector
from pytest_evosearch.screens.choosing import Led
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Rewarded
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.search.selecting.selectors import make_selector
from pytest_evosearch.settings.tunables import tuned

ARMS = "random,least-used,unvisited,qlearning,gp-policy"
"""Selectors among which the walks are divided."""

FADING = 0.95
"""What is left of an earlier gain after each walk."""


@dataclass(frozen=True)
class BanditParameters:
    """Parameters of the bandit."""

    arms: str = tuned(ARMS)
    """Names of selectors, divided by commas."""


@dataclass
class Arm:
    """One selector, and what its walks gained."""

    selector: ActionSelector
    gained: float = 0.0
    walks: float = 0.0
    led: int = 0
    total: int = 0

    @property
    def weight(self) -> float:
        """How often this selector is drawn, relative to others."""
        return (self.gained + 1) / (self.walks + 1)


class BanditSelector:
    """Draws a selector for each walk."""

    parameters_type = BanditParameters
    prefix = "bandit"

    def __init__(self, parameters: BanditParameters | None = None) -> None:
        self.parameters = parameters or BanditParameters()
        names = [name.strip() for name in self.parameters.arms.split(",")]
        if "bandit" in names:
            raise InvalidSetting("bandit.arms names selectors, and not the bandit itself")
        self.arms = {name: Arm(make_selector(name)) for name in names}
        self._present: Arm | None = None
        self._states: set[str] = set()
        self._new_states = 0

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return what the selector of this walk chooses."""
        if self._present is None:
            arms = list(self.arms.values())
            self._present = rng.choices(arms, [one.weight for one in arms])[0]
        return self._present.selector.ask(situation, rng)

    def tell(self, step: Step) -> None:
        """Let every selector learn, and count new screens."""
        self._new_states += step.after.state not in self._states
        self._states.add(step.after.state)
        for arm in self.arms.values():
            arm.selector.tell(step)

    def reward(self, gained: int) -> None:
        """Note what the walk has gained; the next one draws again."""
        arm, self._present = self._present, None
        gained, self._new_states = gained + self._new_states, 0
        if arm is None:
            return
        for one in self.arms.values():
            one.gained, one.walks = FADING * one.gained, FADING * one.walks
        arm.gained, arm.walks = arm.gained + gained, arm.walks + 1
        arm.led, arm.total = arm.led + 1, arm.total + gained
        if isinstance(arm.selector, Rewarded):
            arm.selector.reward(gained)

    def led(self) -> Iterator[Led]:
        """Yield how many walks each selector has led, and what they gained."""
        for name, arm in self.arms.items():
            yield Led(name, arm.led, arm.total)
            if isinstance(arm.selector, Rewarded):
                yield from arm.selector.led()
