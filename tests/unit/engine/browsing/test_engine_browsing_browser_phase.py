"""When visits end; the loop only counts them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.engine.browsing.browser_phase import MOST_QUIET
from pytest_evosearch.engine.browsing.browser_phase import Browsing
from pytest_evosearch.engine.browsing.page_problems import PageProblems
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.search.selecting.counting import LeastUsedSelector


class CountingLoop:
    """Gains a target or a screen at some visits; its budget ends after some."""

    def __init__(self, gains: dict[int, str], budget: int = 1000) -> None:
        self.gains = gains
        self.budget = budget
        self.visits = 0
        self.seen = SimpleNamespace(states=StateModel())
        self.archive = SimpleNamespace(covered={})
        self.ending = SimpleNamespace(is_interrupted=lambda: False)
        self.occasions = SimpleNamespace(walking=object())
        self.problem = SimpleNamespace(choose_user=lambda _rng: None)

    @property
    def share(self) -> float:
        return self.visits / self.budget

    def grow(self, *_given: object) -> None:
        self.visits += 1
        if self.gains.get(self.visits) == "target":
            self.archive.covered[f"line a.py:{self.visits}"] = 1
        elif self.visits in self.gains:
            self.seen.states.note_visit(f"screen {self.visits}", ())


def visited(loop: CountingLoop) -> Browsing:
    ready = SimpleNamespace(fence=None)
    given: Any = "", ready, loop, Random(1), PageProblems(()), loop.seen
    browsing = Browsing(*given)
    guide: Any = SimpleNamespace(selector=LeastUsedSelector())
    browser: Any = None
    assert browsing._visited(browser, guide, ["GET /"]) == ""
    return browsing


def test_visits_end_where_the_last_ones_showed_nothing_new() -> None:
    browsing = visited(CountingLoop({1: "target", 20: "screen"}))
    assert browsing.visits == 20 + MOST_QUIET
    assert list(browsing.notices()) == [
        f"browser: {20 + MOST_QUIET} visits; the last {MOST_QUIET} showed nothing new"
    ]


def test_visits_that_use_up_their_budget_say_nothing() -> None:
    browsing = visited(CountingLoop({5: "target"}, budget=12))
    assert (browsing.visits, list(browsing.notices())) == (12, [])
