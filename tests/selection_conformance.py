"""The contract of a selector, as checks that run in milliseconds on toy screens.

    run_conformance(YourSelector)

A selector conforms when it

- returns only what is offered
- chooses equally with equal random numbers, whatever the hash seed
- accepts steps that it did not choose, also those that lead to a state without offers
- does every action of a small application somewhere, sooner or later
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import ActionSelector
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step

MakeSelector: TypeAlias = "Callable[[], ActionSelector]"

MOST_STEPS = 3000
"""Steps in which every action of the toy is done."""

_TOY = """
home     list=list  help=help  enter=member
list     home=home  item=item  next=list
item     list=list  home=home
help     home=home
member   home=home  list=list  write=written
written  home=home  write=written  delete=empty
empty
"""

TOY = {
    state: dict(action.split("=") for action in actions)
    for state, *actions in map(str.split, _TOY.strip().splitlines())
}
"""State -> action -> the state where it leads; nothing is offered in the last one."""


def run_conformance(make: MakeSelector) -> None:
    """Check every rule of the contract; raise AssertionError if one is broken."""
    first, second = walked(make()), walked(make())
    if first != second:
        raise AssertionError("two selectors with the same random numbers differ")
    check_strange_steps(make())
    missing = {name for actions in TOY.values() for name in actions}
    missing -= {step.taken.name for step in first}
    if missing:
        raise AssertionError(f"never done in {MOST_STEPS} steps: {sorted(missing)}")


def walked(selector: ActionSelector, steps: int = MOST_STEPS, seed: int = 1) -> list[Step]:
    """Return the steps that a selector takes through the toy, from home again after the end."""
    rng, taken = derive(seed, "toy screens"), list[Step]()
    situation = toy_situation("home")
    for _ in range(steps):
        if not situation.offers:
            situation = toy_situation("home")
        offer = selector.ask(situation, rng)
        if offer not in situation.offers:
            raise AssertionError(f"{offer} is not offered in the state {situation.state!r}")
        after = toy_situation(TOY[situation.state][offer.name], situation, offer)
        step = Step(situation, offer, after)
        selector.tell(step)
        taken.append(step)
        situation = after
    return taken


def toy_situation(
    state: str, before: Situation | None = None, previous: Offer | None = None
) -> Situation:
    """Return the situation in a state of the toy."""
    offers = tuple(Offer(name, CLICK) for name in TOY[state])
    known = before.offers if before else ()
    changed = before is None or before.state != state
    return Situation(state, offers, previous, changed, len(set(offers) - set(known)))


def check_strange_steps(selector: ActionSelector) -> None:
    """Check that a selector learns from steps that it did not choose."""
    rng = derive(2, "toy screens")
    for state, actions in TOY.items():
        for name, after in actions.items():
            situation = toy_situation(state)
            selector.tell(Step(situation, Offer(name, CLICK), toy_situation(after, situation)))
    strange = Situation("strange", (Offer("only", CLICK),))
    if selector.ask(strange, rng) != Offer("only", CLICK):
        raise AssertionError("the only offer was not chosen")
