"""Walks of one search: where each begins, and whether the application has pages at all.

the last walk is not over     go on with it (where tests run in other processes)
often                         go to a place that was reached before, as it was reached then, and do
                              there what was not done
else                          open a page without parameters, rather the first
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.walks.walk import START
from pytest_evosearch.problem.http.walks.walk import Guide
from pytest_evosearch.problem.http.walks.walk import Walk
from pytest_evosearch.screens.choosing import CALL
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.screen import screen_of

RETURN_SHARE = 0.5
"""How often a walk begins in a state that another walk has reached."""

HOME_SHARE = 0.5
"""How often a walk from the start opens the first page, as most people do."""

LEAST_PAGES = 2
"""Routes that answer with links or forms, from which on an application has pages."""


class Walks:
    """Proposes walks, and learns from every test where the pages are."""

    def __init__(
        self,
        guide: Guide,
        rng: Random,
        choose_user: Callable[[Random], str | None] = lambda _rng: None,
    ) -> None:
        self.guide = guide
        self._rng = rng
        self._choose_user = choose_user
        self._pages: dict[str, None] = {}
        """Routes that have shown a page with a way out."""
        self._without: dict[str, int] = {}
        self._walk: Walk | None = None
        self._seen: Sequence[Exchange] = ()

    @property
    def has_pages(self) -> bool:
        """Whether the application has pages on which people can walk."""
        return self.guide.over_answers or len(self._pages) >= LEAST_PAGES

    def ask(self) -> tuple[Individual, Walk] | None:
        """Return the calls with which a walk begins or goes on; None where none can."""
        walk = self._walk
        if walk is not None and not walk.is_over and walk.next_call(self._seen) is not None:
            return Individual(tuple(walk.calls)), walk
        walk = self._walk = self._begun()
        self._seen = ()
        return None if walk is None else (Individual(tuple(walk.calls)), walk)

    def tell(self, evaluation: Evaluation[Individual]) -> None:
        """Note how far the walk has come that was asked for last."""
        observation = evaluation.observation
        self._seen = observation.exchanges if isinstance(observation, Observation) else ()

    def look_for_pages(self, evaluation: Evaluation[Individual]) -> None:
        """Learn from any test which routes show pages."""
        observation = evaluation.observation
        if isinstance(observation, Observation):
            for exchange in observation.exchanges:
                self._look(exchange)

    def _look(self, exchange: Exchange) -> None:
        route, response = exchange.request.endpoint, exchange.response
        if response is None or response.mimetype != "text/html" or route in self._pages:
            return
        if not route.startswith("GET ") or response.status >= FIRST_REDIRECT:
            return
        looks = self._without[route] = self._without.get(route, 0) + 1
        if looks > LEAST_PAGES:
            return
        resolve = self.guide.calls.resolving(exchange.request)
        if screen_of(route, response.status, response.text, resolve).actions:
            self._pages[route] = None

    def _begun(self) -> Walk | None:
        rng = self._rng
        walk_rng = Random(rng.getrandbits(64))
        if rng.random() < RETURN_SHARE:
            place = self.guide.frontier.draw(rng)
            if place is not None:
                return Walk(self.guide, place.way, walk_rng, place.changes)
        return self._from_start(walk_rng)

    def _from_start(self, rng: Random) -> Walk | None:
        kind, keys = CLICK, [key for key in self._pages if not PLACEHOLDER.search(key)]
        if self.guide.over_answers and not keys:
            kind, keys = CALL, self.guide.known.model.keys
        if not keys:
            return None
        situation = Situation(START, tuple(Offer(key, kind) for key in keys))
        offer = Offer(min(keys, key=len), kind)
        if kind is CALL or self._rng.random() >= HOME_SHARE:
            offer = self.guide.selector.ask(situation, rng)
        call = Call(offer.name, (), 1, self._choose_user(self._rng))
        walk = Walk(self.guide, (call,), rng)
        walk.begin(situation, offer)
        return walk
