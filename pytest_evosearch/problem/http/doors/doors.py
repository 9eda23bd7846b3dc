"""Doors: finds what lets a caller in, once every endpoint was visited.

for each endpoint that has not surely succeeded
    climb (`problem.http.doors.climbing`)
    what was changed, and is needed for what was gained, is a credential: every call that is
    made from now on holds it, and endpoints that take it are visited again
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Generator
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import COLUMN
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Introduce
from pytest_evosearch.problem.http.doors.climbing import Ascent
from pytest_evosearch.problem.http.doors.climbing import Climb
from pytest_evosearch.problem.http.doors.climbing import InputKey
from pytest_evosearch.problem.http.doors.climbing import corrected_at
from pytest_evosearch.problem.http.doors.climbing import gained
from pytest_evosearch.problem.http.doors.climbing import lost
from pytest_evosearch.problem.http.doors.climbing import with_keys
from pytest_evosearch.problem.http.doors.climbing import with_spoilt_keys
from pytest_evosearch.problem.http.doors.climbing import without_keys
from pytest_evosearch.problem.http.doors.colouring import coloured
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.call_maker import Fullness
from pytest_evosearch.problem.http.filling.key_ring import KEY_LOCATIONS
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.alike import Answer
from pytest_evosearch.problem.http.learning.alike import answer_of
from pytest_evosearch.problem.http.learning.experience import Experience

Keys: TypeAlias = "Mapping[tuple[Location, str], Gene]"
"""Inputs that let a caller in, with what they hold."""

FIRST_REFUSAL = 400

NO_REFUSALS = frozenset({404, 405, 415})
"""Statuses of answers that are given for other reasons, too, in the same words."""

MOST_PROOFS = 3
"""Other endpoints at which keys are tried."""

MOST_CLIMBS = 12
"""Endpoints that are climbed before something is found; those behind one door are alike."""


MOST_CALLERS = 4
"""Who are let in by keys of their own; each costs a climb."""


class Doors:
    """Proposes looks at what refuses, and gives what lets in to those who make calls."""

    def __init__(
        self,
        model: EndpointModel,
        maker: CallMaker,
        experience: Experience,
        pool: ValuePool,
        introduce: Introduce,
    ) -> None:
        self._model = model
        self._maker = maker
        self._experience = experience
        self._pool = pool
        self._introduce = introduce
        self._callers: list[Caller] = []
        self._climbed: set[str] = set()
        self._signed: dict[str, list[tuple[InputKey, TargetId]]] = {}
        """For endpoints the inputs that sign the rest of a request, and where they are checked."""
        self._running: Generator[Individual, Observation, None] | None = None
        self._awaited: Individual | None = None
        self._shown: Observation | None = None

    def next_look(self, rng: Random, pressing: bool) -> Individual | None:
        """Return the next test that is to be looked at closely, None when there is none.

        With `pressing` only endpoints are climbed that refuse, as far as is known.
        """
        while True:
            if self._running is None:
                self._running = self._next_climb(rng, pressing)
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
        """Say whether this very test is a look, or has to be told which signature is wanted."""
        return individual is self._awaited or (
            bool(individual.calls) and individual.calls[-1].endpoint in self._signed
        )

    def learn(self, observation: Observation) -> None:
        """Take in what a look showed."""
        if observation.individual is self._awaited:
            guidance = tuple(map(self._resolved, observation.guidance))
            self._shown, self._awaited = replace(observation, guidance=guidance), None

    def _resolved(self, comparison: Comparison) -> Comparison:
        """Return a comparison with the values of a column in the place of its name."""
        if comparison.relation != COLUMN:
            return comparison
        values = self._pool.stored_under(str(comparison.wanted))
        return comparison._replace(relation="in", wanted=values)

    def _next_climb(
        self, rng: Random, pressing: bool
    ) -> Generator[Individual, Observation, None] | None:
        if len(self._climbed) >= MOST_CLIMBS:
            return None
        for key in self._model.keys:
            if key not in self._climbed and self._may_refuse(key, pressing):
                self._climbed.add(key)
                return self._climb(key, rng)
        return None

    def _may_refuse(self, key: str, surely: bool) -> bool:
        """Say whether an endpoint has only refused, or answers only what many others answer.

        Without `surely` it is enough that it has not succeeded.
        """
        experience = self._experience
        if experience.outcomes.alike.is_only_alike(key):
            return True
        if experience.recipes.is_clear(key):
            return False
        return not surely or experience.admission.is_guarded(key)

    def _climb(self, key: str, rng: Random) -> Generator[Individual, Observation, None]:
        """Climb an endpoint, and again for others who are let in there."""
        base, known = self._base(key, rng), self._maker.keys.all
        ascent = yield from self._ascent(base, rng, known)
        while ascent is not None and (yield from self._finds_keys(ascent, rng)):
            if len(self._callers) >= MOST_CALLERS:
                return
            sent = frozenset().union(*(caller.texts for caller in self._callers))
            first, goal = ascent.first.individual, gained(ascent)
            ascent = yield from self._ascent(first, rng, self._maker.keys.signatures, sent, goal)
            if ascent is not None and not goal & ascent.last.observation.reached:
                return

    def _ascent(
        self,
        base: Individual,
        rng: Random,
        known: Keys,
        avoided: frozenset[str] = frozenset(),
        goal: frozenset[TargetId] = frozenset(),
    ) -> Generator[Individual, Observation, Ascent | None]:
        refused = self._experience.outcomes.is_refused
        complete = self._completion(rng)
        climb = Climb(base, self._model, rng, known, refused, complete, avoided, goal)
        ascent = yield from climb.looks()
        if ascent is not None and ascent.signed_at:
            key = base.calls[-1].endpoint
            self._signed[key] = sorted(ascent.signed_at)
        return ascent

    def _completion(self, rng: Random) -> Callable[[Call], Call]:
        """Return what sends along all that an endpoint is known to take by now."""
        known: dict[Call, tuple[object, Call]] = {}

        def complete(call: Call) -> Call:
            """Draw values only where there is news: else each look would be another."""
            parameters = self._model.endpoint(call.endpoint).parameters
            if call not in known or known[call][0] != parameters:
                known[call] = parameters, self._maker.completed(call, rng)
            return known[call][1]

        return complete

    def corrected(self, observation: Observation, rng: Random) -> Individual | None:
        """Return a test of which another signature was wanted, with that; None for any other."""
        if not observation.guidance:
            return None
        for key, place in self._signed.get(observation.individual.calls[-1].endpoint, ()):
            corrected = corrected_at(observation, key, place, self._model, rng)
            if corrected is not None:
                return corrected
        return None

    def _base(self, key: str, rng: Random) -> Individual:
        recipe = self._experience.way_to(key, None, rng)
        if recipe is not None:
            return Individual(recipe.calls).sent_by(None)
        return Individual((self._maker.make(key, rng, 1, None, Fullness.FULL),))

    def _finds_keys(self, ascent: Ascent, rng: Random) -> Generator[Individual, Observation, bool]:
        """Ask of each change whether what was gained is lost without it; say whether any is."""
        refusal = answer_of(ascent.first.observation.exchanges[-1])
        if refusal is None or not self._is_let_in(ascent):
            return False
        changed = {key for key in ascent.last.changed if key[0] in KEY_LOCATIONS}
        needed, refusals = [], [answer_of(ascent.first.observation.exchanges[-1])]
        for key, individual in with_spoilt_keys(ascent, changed):
            observation = yield individual
            if lost(ascent, observation):
                needed.append(key)
        call = ascent.last.individual.calls[-1]
        keys = {given.key: given.gene for given in call.inputs if given.key in needed}
        if keys and (yield from self._opens_others(call.endpoint, refusal, keys, rng)):
            missing = yield without_keys(ascent, needed)
            if lost(ascent, missing):
                refusals.append(answer_of(missing.exchanges[-1]))
            for one in dict.fromkeys(refusals):
                if one is not None and one[0] not in NO_REFUSALS:
                    self._experience.note_refusal(one)
            return self._hold(keys, {key for key, _place in ascent.signed_at})
        return False

    def _is_let_in(self, ascent: Ascent) -> bool:
        """Say whether the last answer is none that turns a caller away."""
        first, last = ascent.first.observation.exchanges[-1], ascent.last.observation.exchanges[-1]
        changed = answer_of(first) != answer_of(last)
        return changed and not self._experience.outcomes.is_refused(last)

    def _opens_others(
        self, endpoint: str, refusal: Answer, keys: Keys, rng: Random
    ) -> Generator[Individual, Observation, bool]:
        """Try keys where the refusal was met, too; one place alone proves only a refusal's status.

        What one endpoint filters by looks like a key, but changes no answer of the others.
        """
        others = [
            key for key in self._experience.outcomes.alike.sharing(refusal) if key != endpoint
        ]
        for key in others[:MOST_PROOFS]:
            call = with_keys(self._base(key, rng).calls[-1], keys)
            observation = yield Individual((coloured(call, keys),))
            if answer_of(observation.exchanges[-1]) != refusal:
                return True
        return not others and refusal[0] >= FIRST_REFUSAL

    def _hold(self, keys: Keys, signatures: Collection[InputKey]) -> bool:
        """Let calls hold credentials, and visit endpoints again that take them.

        Say whether they belong to a caller; a signature is good for one request only.
        """
        self._climbed.clear()
        inputs = tuple(Input(*key, gene) for key, gene in keys.items() if key not in signatures)
        caller = Caller(inputs)
        is_known = caller in self._callers
        name = self._introduce(caller) if inputs and not is_known else None
        if name is not None:
            self._callers.append(caller)
        for identity, gene in keys.items():
            self._maker.keys.add(identity, gene, is_signature=identity in signatures)
            for key in self._model.keys:
                if self._model.parameter(key, identity) is not None:
                    self._model.note_change(key)
        return name is not None
