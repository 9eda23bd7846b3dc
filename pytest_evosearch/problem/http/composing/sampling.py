"""Makes fresh tests: first a systematic sweep, then sequences that continue earlier successes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.composing.composition import Composer
from pytest_evosearch.problem.http.composing.composition import Plan
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.composing.page_links import Leads
from pytest_evosearch.problem.http.descriptions.server_choices import leaves_something
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.fullness import Fullness

SWEEPS_PER_ENDPOINT = 12
"""Visits of an endpoint by the sweep.

Each visit may reveal one more parameter: a missing form field causes a 400 response before the
handler reads the next one.
"""

WEIGHTS_KEPT_FOR = 32
"""Number of samples between two updates of the endpoints' weights."""

FAR_SHARE = 0.4
"""How often a sample is what `Experience.next_far_trial` proposes, while there is any."""

_ANONYMOUS_SHARE = 0.15

_GAIN_FADES = 0.85
_UNSOLVED_WEIGHT = 3.0
"""Factor by which an endpoint without success is sampled more often."""

SETTLED_WEIGHT = 0.001
"""Weight of an endpoint that can show nothing more; an unvisited one has at least 1."""

MOST_FREEZES = 2
"""Number of freezes after which an endpoint that never responded is not visited again."""


class Sampler:
    """Makes fresh individuals."""

    def __init__(self, known: Knowledge, composer: Composer, leads: Leads, most_calls: int) -> None:
        self._known = known
        self._composer = composer
        self._leads = leads
        self._most_calls = most_calls
        self._keys = known.model.keys
        self._stateful = not all(map(is_safe, self._keys))
        self._sweep = self._first_sweep()
        self._sweeps = dict.fromkeys(self._keys, 0)
        self._tries = dict.fromkeys(self._keys, 0)
        self._unvisited = set(self._keys)
        self._gains = dict.fromkeys(self._keys, 0.0)
        self._postponed: set[tuple[str, str | None, Fullness]] = set()
        self._cumulated: list[float] = []
        self._samples_until_weighing = 0

    def _first_sweep(self) -> deque[tuple[str, str | None, Fullness]]:
        """Return the visits of every endpoint: anonymous, as each user, then with all inputs.

        Each endpoint is visited once before any is visited twice, in case the time runs out.
        """
        visits = [
            (key, user, Fullness.PLAIN) for user in (None, *self._known.users) for key in self._keys
        ]
        return deque([*visits, *((key, self._principal, Fullness.FULL) for key in self._keys)])

    @property
    def _principal(self) -> str | None:
        return self._known.users[0] if self._known.users else None

    def admit(self, user: str) -> None:
        """Add a user whom the search has found: each endpoint is visited as this user."""
        self._known.users.append(user)
        self._sweep.extend((key, user, Fullness.PLAIN) for key in self._keys)
        self._sweep.extend((key, user, Fullness.FULL) for key in self._keys)

    @property
    def surveyed(self) -> bool:
        """Whether each endpoint was visited."""
        return not self._unvisited

    def _note_try(self, key: str) -> None:
        self._tries[key] += 1
        self._unvisited.discard(key)

    @property
    def stateful(self) -> bool:
        """Whether any endpoint can change the application's state."""
        return self._stateful

    def credit(self, key: str, gain: float) -> None:
        """Note that a test of this endpoint improved some targets."""
        if key in self._gains:
            self._gains[key] += gain

    def visit(self, rng: Random) -> Individual | None:
        """Return the next trial, visit of the sweep or lead; None while none is due."""
        trial = self._known.experience.next_trial()
        if trial is not None:
            if isinstance(trial, Individual):
                return trial
            if self._is_trusted(trial.key, rng):
                return self._extended(trial.base, trial.key, rng)
        self._queue_changed()
        while self._sweep:
            key, user, fullness = self._sweep.popleft()
            if self._is_late(key, user, fullness) or self._is_settled(key):
                continue
            named = fullness is Fullness.PLAIN and user is not None
            if not (named and self._known.tokens.gate.is_closed(key)):
                return self._swept(key, user, fullness, rng)
        return self._known.experience.next_answered() or self._leads.next()

    def _is_settled(self, key: str) -> bool:
        """Say whether no further call can show anything: browsers ask, and nothing sent is read."""
        if not key.startswith("OPTIONS ") or not self._tries[key]:
            return False
        parameters = self._known.model.endpoint(key).parameters
        return all(one.location is Location.PATH for one in parameters)

    def _is_late(self, key: str, user: str | None, fullness: Fullness) -> bool:
        """Say whether to postpone or omit the visit of an endpoint that hangs.

        After the first hang, its visits come after those of all other endpoints. After the second
        hang, they are removed, and only its weight decides how often it is drawn.
        """
        freezes = self._known.freezes.count(key)
        if freezes >= MOST_FREEZES:
            self._note_try(key)
            return True
        visit = (key, user, fullness)
        if not freezes or visit in self._postponed:
            return False
        self._postponed.add(visit)
        self._sweep.append(visit)
        return True

    def sample(self, rng: Random) -> Individual:
        """Return the next visit, or a random test once all visits are done."""
        visit = self.visit(rng)
        if visit is not None:
            return visit
        if rng.random() < FAR_SHARE:
            far = self._known.experience.next_far_trial()
            if far is not None and self._is_trusted(far.key, rng):
                return self._extended(far.base, far.key, rng)
        key = self._choose_endpoint(rng)
        plan = Plan(rng, self._known.pages.reader_for(key, self.choose_user(rng)), self._most_calls)
        if self._known.model.endpoint(key).method == "GET" and not self._stateful:
            self._composer.append(plan, key)
        else:
            self._composer.compose(plan, key)
        return self._finished(plan)

    def offers(self, individual: Individual | None, rng: Random) -> Sequence[str]:
        """Return the endpoints that can be called next: none when the test is full."""
        if individual is not None and len(individual) >= self._most_calls:
            return ()
        return [key for key in self._keys if self._is_trusted(key, rng)]

    def extend(self, individual: Individual | None, key: str, rng: Random) -> Individual:
        """Return `individual` with a call of `key` at its end, or a new test when it is None."""
        self._note_try(key)
        if individual is None:
            plan = Plan(
                rng, self._known.pages.reader_for(key, self.choose_user(rng)), self._most_calls
            )
            self._composer.begin(plan, key)
        else:
            plan = Plan(rng, individual.calls[0].user, self._most_calls)
            plan.calls += individual.calls
            self._composer.append(plan, key)
        return self._finished(plan)

    def _is_trusted(self, key: str, rng: Random) -> bool:
        """Draw whether to call an endpoint: rarely when it froze."""
        weight = self._known.freezes.weight(key)
        return weight >= 1.0 or rng.random() < weight

    def _finished(self, plan: Plan) -> Individual:
        return Individual(tuple(plan.calls)).sent_by(plan.user)

    def choose_user(self, rng: Random) -> str | None:
        """Return a user, sometimes None for an anonymous caller."""
        if not self._known.users or rng.random() < _ANONYMOUS_SHARE:
            return None
        return rng.choice(self._known.users)

    def _queue_changed(self) -> None:
        """Visit again endpoints with new parameters since their last visit, log-ins first.

        Everything behind a registration or a log-in depends on those.
        """
        doors = (
            *self._known.experience.resources.registrations,
            *self._known.experience.resources.logins,
        )
        for key in self._known.model.take_changed():
            visit = (key, self._principal, Fullness.FULL)
            if self._sweeps[key] >= SWEEPS_PER_ENDPOINT or visit in self._sweep:
                continue
            self._sweeps[key] += 1
            if key in doors:
                self._sweep.appendleft(visit)
            else:
                self._sweep.append(visit)
            if leaves_something(self._known.model.endpoint(key)):
                self._sweep.append((key, self._principal, Fullness.FRESH))

    def _swept(self, key: str, user: str | None, fullness: Fullness, rng: Random) -> Individual:
        self._note_try(key)
        if fullness is not Fullness.PLAIN:
            user = self._known.pages.reader_for(key, user)
        plan = Plan(rng, user, self._most_calls, fullness)
        if fullness is Fullness.PLAIN:
            plan.calls.append(self._known.maker.make(key, rng, 1, user, fullness))
        elif fullness is Fullness.FRESH:
            self._composer.append(plan, key)
        else:
            recipe = self._known.experience.way_to(key, user, rng)
            if recipe is None or not self._composer.begin_as(plan, recipe):
                self._composer.append(plan, key)
        return self._finished(plan)

    def _extended(self, base: str | None, key: str, rng: Random) -> Individual:
        """Call an endpoint with all its inputs, after the successful calls of `base`."""
        user = self._known.pages.reader_for(key, self._principal)
        plan = Plan(rng, user, self._most_calls - 1, Fullness.FULL)
        recipe = None if base is None else self._known.experience.recipes.draw(base, plan.user, rng)
        if recipe is not None and self._known.pages.reader_for(key, recipe.user) == recipe.user:
            plan.user = recipe.user
            plan.splice(recipe.calls)
        plan.most_calls += 1
        self._composer.append(plan, key)
        return self._finished(plan)

    def _choose_endpoint(self, rng: Random) -> str:
        """Prefer endpoints that were tried little, never succeeded, or still gain."""
        if self._samples_until_weighing <= 0:
            self._samples_until_weighing = WEIGHTS_KEPT_FOR
            total = 0.0
            self._cumulated = []
            for key in self._keys:
                total += self._weight_of(key) * self._known.freezes.weight(key)
                self._cumulated.append(total)
                self._gains[key] *= _GAIN_FADES
        self._samples_until_weighing -= 1
        key = rng.choices(self._keys, cum_weights=self._cumulated)[0]
        self._note_try(key)
        return key

    def _weight_of(self, key: str) -> float:
        if self._is_settled(key):
            return SETTLED_WEIGHT
        rarity: float = 1.0 / (1.0 + self._tries[key]) ** 0.5
        if self._stateful and key not in self._known.experience.recipes:
            rarity *= _UNSOLVED_WEIGHT
        return rarity + 0.2 * min(self._gains[key], 5.0)
