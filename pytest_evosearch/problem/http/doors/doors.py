"""Doors: finds what lets a caller in, once every endpoint was visited.

for each endpoint that has not surely succeeded
    climb (`problem.http.doors.climbing`)
    what was changed, and is needed for what was gained, is a credential: every call that is
    made from now on holds it, and whoever takes it is visited again
"""

from __future__ import annotations

from collections.abc import Generator

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.climbing import Ascent
from pytest_evosearch.problem.http.doors.climbing import Climb
from pytest_evosearch.problem.http.doors.climbing import lost
from pytest_evosearch.problem.http.doors.climbing import without_keys
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.call_maker import Fullness
from pytest_evosearch.problem.http.filling.key_ring import KEY_LOCATIONS
from pytest_evosearch.problem.http.learning.experience import Experience

MOST_CLIMBS = 12
"""Endpoints that are climbed before something is found; those behind one door are alike."""


class Doors:
    """Proposes looks at what refuses, and gives what lets in to those who make calls."""

    def __init__(self, model: EndpointModel, maker: CallMaker, experience: Experience) -> None:
        self._model = model
        self._maker = maker
        self._experience = experience
        self._climbed: set[str] = set()
        self._running: Generator[Individual, Observation, None] | None = None
        self._awaited: Individual | None = None
        self._shown: Observation | None = None

    def next_look(self, rng: Random) -> Individual | None:
        """Return the next test that is to be looked at closely, None when there is none."""
        while True:
            if self._running is None:
                self._running = self._next_climb(rng)
                if self._running is None:
                    return None
            try:
                shown, self._shown = self._shown, None
                # The first thing that a generator is sent has to be None.
                self._awaited = self._running.send(shown)  # type: ignore[arg-type]
            except StopIteration:
                self._running = None
            else:
                return self._awaited

    def awaits(self, individual: Individual) -> bool:
        """Say whether this very test is a look."""
        return individual is self._awaited

    def learn(self, observation: Observation) -> None:
        """Take in what a look showed."""
        if self.awaits(observation.individual):
            self._shown, self._awaited = observation, None

    def _next_climb(self, rng: Random) -> Generator[Individual, Observation, None] | None:
        if len(self._climbed) >= MOST_CLIMBS:
            return None
        for key in self._model.keys:
            if key not in self._climbed and not self._experience.recipes.is_clear(key):
                self._climbed.add(key)
                return self._climb(key, rng)
        return None

    def _climb(self, key: str, rng: Random) -> Generator[Individual, Observation, None]:
        base = self._base(key, rng)
        ascent = yield from Climb(base, self._model, rng).looks()
        if ascent is not None:
            yield from self._find_keys(ascent)

    def _base(self, key: str, rng: Random) -> Individual:
        recipe = self._experience.way_to(key, None, rng)
        if recipe is not None:
            return Individual(recipe.calls).sent_by(None)
        return Individual((self._maker.make(key, rng, 1, None, Fullness.FULL),))

    def _find_keys(self, ascent: Ascent) -> Generator[Individual, Observation, None]:
        """Ask of each change whether what was gained is lost without it."""
        call = ascent.last.individual.calls[-1]
        changed = {key for key in ascent.last.changed if key[0] in KEY_LOCATIONS}
        genes = {given.key: given.gene for given in call.inputs}
        for key, individual in without_keys(ascent, changed):
            observation = yield individual
            if lost(ascent, observation):
                self._hold(key, genes[key])

    def _hold(self, identity: tuple[Location, str], gene: Gene) -> None:
        """Let calls hold a credential, and visit again whoever takes it."""
        if not self._maker.keys.add(identity, gene):
            return
        self._climbed.clear()
        for key in self._model.keys:
            if self._model.parameter(key, identity) is not None:
                self._model.note_change(key)
