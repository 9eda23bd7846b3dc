from __future__ import annotations

import pytest
from selection_conformance import run_conformance

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.search.selecting.bandit import BanditParameters
from pytest_evosearch.search.selecting.bandit import BanditSelector
from pytest_evosearch.search.selecting.counting import LeastUsedSelector
from pytest_evosearch.search.selecting.counting import RandomSelector
from pytest_evosearch.search.selecting.counting import UnvisitedSelector
from pytest_evosearch.search.selecting.evolving import GENES
from pytest_evosearch.search.selecting.evolving import WALKS
from pytest_evosearch.search.selecting.evolving import EvolvingSelector
from pytest_evosearch.search.selecting.q_selector import QSelector
from pytest_evosearch.search.selecting.q_selector import QSelectorParameters
from pytest_evosearch.search.selecting.selectors import SELECTORS
from pytest_evosearch.search.selecting.selectors import make_selector
from pytest_evosearch.settings.tunables import TUNABLES

A, B = Offer("a", CLICK), Offer("b", CLICK)
HERE, THERE = Situation("here", (A, B)), Situation("there", (A, B))
END = Situation("end", ())


@pytest.mark.parametrize("name", SELECTORS.names)
def test_every_selector_conforms(name: str) -> None:
    run_conformance(lambda: make_selector(name))


def test_the_table_of_settings_has_the_selectors() -> None:
    assert list(TUNABLES["walks.selector"].choices) == SELECTORS.names


def test_unknown_selectors_and_tunables_are_refused() -> None:
    with pytest.raises(InvalidSetting, match="unknown selector 'qlerning'; did you mean"):
        make_selector("qlerning")
    with pytest.raises(InvalidSetting, match=r"tunable 'qlearning\.discount' takes"):
        make_selector("qlearning", {"walks.discount": "2"})
    assert make_selector("random", {"walks.discount": "2"})


class Foreign(RandomSelector):
    """Chooses what is not there."""

    def ask(self, situation: Situation, rng: Random) -> Offer:
        return Offer("elsewhere", CLICK)


class Stubborn(RandomSelector):
    """Always chooses the first offer."""

    def ask(self, situation: Situation, rng: Random) -> Offer:
        return situation.offers[0]


class Forgetful(RandomSelector):
    """Draws from a source of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._own = Random()

    def ask(self, situation: Situation, rng: Random) -> Offer:
        return self._own.choice(situation.offers)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [(Foreign, "is not offered"), (Stubborn, "never done"), (Forgetful, "differ")],
)
def test_the_kit_finds_what_does_not_conform(broken, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        run_conformance(broken)


def test_least_used_counts_over_all_states() -> None:
    selector = LeastUsedSelector()
    selector.tell(Step(THERE, A, HERE))
    assert selector.ask(HERE, derive(1, "")) == B


def test_unvisited_counts_in_each_state() -> None:
    selector = UnvisitedSelector()
    selector.tell(Step(HERE, A, THERE))
    assert {selector.ask(HERE, derive(seed, "")) for seed in range(9)} == {B}
    assert {selector.ask(THERE, derive(seed, "")) for seed in range(9)} == {A, B}


def test_q_values_are_those_of_the_source() -> None:
    selector = QSelector()
    assert selector.value("here", A) == 9_999_999
    selector.tell(Step(HERE, A, END))
    assert selector.value("here", A) == 1.0
    selector.tell(Step(HERE, A, END))
    assert selector.value("here", A) == 0.5
    selector.tell(Step(THERE, B, HERE))
    assert selector.value("there", B) == 1.0 + 0.95 * 9_999_999
    assert selector.ask(HERE, derive(1, "")) == B


def test_the_discount_may_fall_with_the_number_of_actions() -> None:
    selector = QSelector(QSelectorParameters(unused=100.0, discounting="falling"))
    selector.tell(Step(HERE, A, THERE))
    assert selector.value("here", A) == pytest.approx(1.0 + 0.9 * 2.718281828**-0.1 * 100)


def test_the_bandit_gives_more_walks_to_what_gains_more() -> None:
    bandit, rng = BanditSelector(BanditParameters("random,unvisited")), derive(1, "bandit")
    for _ in range(200):
        bandit.ask(HERE, rng)
        led = {one.name: one.walks for one in bandit.led()}
        bandit.reward(0)
        after = {one.name: one.walks for one in bandit.led()}
        if led["unvisited"] != after["unvisited"]:
            bandit.arms["unvisited"].gained += 5
    shares = {one.name: one.walks for one in bandit.led()}
    assert sum(shares.values()) == 200
    assert shares["unvisited"] > 2 * shares["random"]


def test_the_bandit_counts_screens_as_gains_once() -> None:
    bandit, rng = BanditSelector(BanditParameters("random")), derive(1, "bandit")
    for _ in range(2):
        bandit.tell(Step(HERE, bandit.ask(HERE, rng), THERE))
        bandit.reward(2)
    assert list(bandit.led()) == [("random", 2, 5)]
    with pytest.raises(InvalidSetting, match=r"bandit\.arms names selectors"):
        BanditSelector(BanditParameters("random,bandit"))


def test_evolution_during_a_run_keeps_a_policy_that_gains_and_tries_others() -> None:
    selector, rng = EvolvingSelector(), derive(1, "evolving")
    wanted = "unvisited here"
    situation = Situation("s", (Offer("click", CLICK), Offer(wanted, SUBMIT)))
    seen = set()
    for _ in range(600):
        offer = selector.ask(situation, rng)
        seen.add(offer)
        selector.reward(10 if offer.name == wanted else 0)
    assert len(selector.population) == GENES.population
    assert len(seen) == 2
    assert selector.best.mean > 8
    assert next(iter(selector.led())).walks >= WALKS
