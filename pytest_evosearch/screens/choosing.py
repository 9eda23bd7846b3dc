"""The interface of everything that chooses actions: `ask` chooses, `tell` gets what came of it.

    offer = selector.ask(situation, rng)
    ... the action is done, and leads to another situation ...
    selector.tell(Step(situation, offer, next_situation))

A selector sees states and actions as names only.  It must choose one of the offers, draw random
numbers only from the `rng` that it gets, and accept steps that it did not choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from typing import Protocol
from typing import runtime_checkable

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random

CLICK = "click"
SUBMIT = "submit"
CALL = "call"
"""Kinds of actions: a link or a button, a form that is filled, a request without a page."""


class Offer(NamedTuple):
    """An action that a state offers."""

    name: str
    """Equal in all states: ``GET /orders/{id}``, ``POST /cart action=remove``."""
    kind: str


@dataclass(frozen=True)
class Situation:
    """Where a walk is."""

    state: str
    offers: tuple[Offer, ...]
    """What can be done, each name once."""
    previous: Offer | None = None
    """What led here; None at the start of a walk."""
    changed: bool = True
    """Whether the state is another one than before."""
    new_offers: int = 0
    """How many offers the situation before did not have."""


@dataclass(frozen=True)
class Step:
    """One action, and where it led."""

    before: Situation
    taken: Offer
    after: Situation


class ActionSelector(Protocol):
    """Chooses what to do next."""

    def ask(self, situation: Situation, rng: Random) -> Offer:
        """Return one of the offers of `situation`, of which there is at least one."""
        ...

    def tell(self, step: Step) -> None:
        """Learn from any action, also one that it did not choose."""
        ...


class Led(NamedTuple):
    """What a selector or a policy was used for."""

    name: str
    walks: int
    gained: int


@runtime_checkable
class Rewarded(Protocol):
    """A selector that also learns from what whole walks gain."""

    def reward(self, gained: int) -> None:
        """Learn that a walk is over, and how many targets it was the first to reach."""
        ...

    def led(self) -> Iterator[Led]:
        """Yield what it has used for how many walks."""
        ...
