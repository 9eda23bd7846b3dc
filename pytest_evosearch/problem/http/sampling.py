"""Fresh tests: a systematic sweep first, then sequences that create before they use."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.calls import CallMaker
from pytest_evosearch.problem.http.calls import Fullness
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.freezes import FreezeStatistics
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.linking import Linker
from pytest_evosearch.problem.http.pages import PageReader
from pytest_evosearch.problem.http.parameters import EndpointModel
from pytest_evosearch.problem.http.producers import ProducerCatalog
from pytest_evosearch.problem.http.resources import Resources

SWEEPS_PER_ENDPOINT = 8
"""Visits of an endpoint by the sweep: each may reveal one more parameter (a missing form
field answers 400 before the next one is read)."""

DEEPEST_PREPARATION = 3
"""Creating calls that themselves need something created, and so on."""

WEIGHTS_KEPT_FOR = 32
"""Samples between two looks at which endpoints deserve more of them."""

PREPARING_REPEATS = 0.85
"""How often a preparing call sends what succeeded before: it is there for its effect."""

LOOKING_REPEATS = 0.25
"""How often the call that a test is about does so: it is there to find something new."""

_PREPARE_SHARE = 0.75
_ANONYMOUS_SHARE = 0.15
_LOGIN_SHARE = 0.2
_REFUSED_LOGIN_SHARE = 0.6
"""How often a test logs in first: more often where an anonymous caller was refused."""

_GAIN_FADES = 0.85


@dataclass
class _Plan:
    """A test in the making."""

    rng: Random
    user: str | None
    most_calls: int
    fullness: Fullness | None = None
    """None draws it anew for each call."""
    calls: list[Call] = field(default_factory=list)
    reserved: int = 0
    """Calls that are promised a place after those being added now."""

    @property
    def room(self) -> int:
        return self.most_calls - len(self.calls) - self.reserved


class Sampler:
    """Makes fresh individuals."""

    def __init__(
        self,
        model: EndpointModel,
        catalog: ProducerCatalog,
        maker: CallMaker,
        linker: Linker,
        pages: PageReader,
        users: Sequence[str],
        most_calls: int,
    ) -> None:
        self._model = model
        self._catalog = catalog
        self._maker = maker
        self._linker = linker
        self._pages = pages
        self._users = list(users)
        self._most_calls = most_calls
        self.resources = Resources(model.endpoints)
        self._keys = model.keys
        self._stateful = any(
            endpoint.method not in ("GET", "HEAD", "OPTIONS") for endpoint in model.endpoints
        )
        self._sweep = self._first_sweep()
        self._sweeps = dict.fromkeys(self._keys, 0)
        self._tries = dict.fromkeys(self._keys, 0)
        self._refusing: set[str] = set()
        self.freezes = FreezeStatistics()
        self._gains = dict.fromkeys(self._keys, 0.0)
        self._cumulated: list[float] = []
        self._samples_until_weighing = 0

    def _first_sweep(self) -> deque[tuple[str, str | None, Fullness]]:
        visits = [
            (key, user, Fullness.PLAIN) for key in self._keys for user in (None, *self._users)
        ]
        principal = self._users[0] if self._users else None
        return deque([*visits, *((key, principal, Fullness.FULL) for key in self._keys)])

    @property
    def stateful(self) -> bool:
        """Whether any endpoint can change the application's state."""
        return self._stateful

    def credit(self, key: str, gain: float) -> None:
        """Note that a test with this endpoint improved some targets."""
        if key in self._gains:
            self._gains[key] += gain

    def note_refusal(self, key: str) -> None:
        """Note that an endpoint refused a caller whom it does not know (401) or trust (403)."""
        self._refusing.add(key)

    def sample(self, rng: Random) -> Individual:
        """Return the sweep's next test, or a random one once the sweep is through."""
        if not self._sweep:
            self._queue_changed()
        if self._sweep:
            return self._swept(rng)
        key = self._choose_endpoint(rng)
        plan = _Plan(rng, self.choose_user(rng), self._most_calls)
        if self._model.endpoint(key).method == "GET" and not self._stateful:
            self._append(plan, key)
        else:
            self._compose(plan, key)
        return Individual(tuple(plan.calls))

    def choose_user(self, rng: Random) -> str | None:
        """Return a user, now and then nobody."""
        if not self._users or rng.random() < _ANONYMOUS_SHARE:
            return None
        return rng.choice(self._users)

    def _queue_changed(self) -> None:
        """Visit again what has learnt something since its last visit."""
        principal = self._users[0] if self._users else None
        for key in self._model.take_changed():
            if self._sweeps[key] < SWEEPS_PER_ENDPOINT:
                self._sweeps[key] += 1
                self._sweep.append((key, principal, Fullness.FULL))

    def _swept(self, rng: Random) -> Individual:
        key, user, fullness = self._sweep.popleft()
        self._tries[key] += 1
        plan = _Plan(rng, user, self._most_calls, fullness)
        if fullness is Fullness.FULL:
            self._append(plan, key)
        else:
            plan.calls.append(self._maker.make(key, rng, 1, user, fullness))
        return Individual(tuple(plan.calls))

    def _choose_endpoint(self, rng: Random) -> str:
        """Prefer endpoints that were tried little or that still move."""
        if self._samples_until_weighing <= 0:
            self._samples_until_weighing = WEIGHTS_KEPT_FOR
            total = 0.0
            self._cumulated = []
            for key in self._keys:
                worth = 1.0 / (1.0 + self._tries[key]) ** 0.5 + 0.2 * min(self._gains[key], 5.0)
                total += worth * self.freezes.weight(key)
                self._cumulated.append(total)
                self._gains[key] *= _GAIN_FADES
        self._samples_until_weighing -= 1
        key = rng.choices(self._keys, cum_weights=self._cumulated)[0]
        self._tries[key] += 1
        return key

    def _compose(self, plan: _Plan, key: str) -> None:
        """Build a sequence around the endpoint: log in, prepare, call it, look at the effect."""
        rng = plan.rng
        if rng.random() < (_REFUSED_LOGIN_SHARE if key in self._refusing else _LOGIN_SHARE):
            plan.reserved = 1
            self._log_in(plan, key)
            plan.reserved = 0
        self._append(plan, key)
        shape = rng.random()
        if shape < 0.45:
            return
        if shape < 0.60:
            self._repeat(plan)
        else:
            siblings = self.resources.siblings(key)
            others = siblings if siblings and shape < 0.92 else self._keys
            for _ in range(1 if rng.random() < 0.6 else 1 + rng.randrange(3)):
                if plan.room > 0:
                    self._append(plan, self.freezes.choose(others, rng))

    def _log_in(self, plan: _Plan, key: str) -> None:
        """Register, then log in with the same values."""
        for candidates in (self.resources.registrations, self.resources.logins):
            if candidates and plan.room > 0:
                chosen = plan.rng.choice(candidates)
                if chosen != key:
                    self._append(plan, chosen, prepare=False)

    def _repeat(self, plan: _Plan) -> None:
        """Send the last call twice: conflicts, double deletions, cached answers."""
        if plan.room > 0:
            last = plan.calls[-1]
            plan.calls.append(replace(last, label=self._next_label(plan)))

    def _append(self, plan: _Plan, key: str, depth: int = 0, prepare: bool = True) -> None:
        if prepare and depth < DEEPEST_PREPARATION and plan.room > 1:
            plan.reserved += 1
            self._prepare(plan, key, depth)
            plan.reserved -= 1
        call = self._draw_call(plan, key, PREPARING_REPEATS if depth else LOOKING_REPEATS)
        plan.calls.append(self._linker.connected(call, plan.calls, plan.rng))

    def _draw_call(self, plan: _Plan, key: str, repeats: float) -> Call:
        label, rng = self._next_label(plan), plan.rng
        if plan.fullness is None and rng.random() < repeats:
            call = self._maker.repeat_success(key, rng, label, plan.user)
            if call is not None:
                return call
        fullness = plan.fullness or self._maker.draw_fullness(rng)
        return self._maker.make(key, rng, label, plan.user, fullness)

    def _next_label(self, plan: _Plan) -> int:
        return len(plan.calls) + 1

    def _prepare(self, plan: _Plan, key: str, depth: int) -> None:
        """Add the calls whose answers or effects the endpoint feeds on."""
        prepared = False
        for producer in self.producers_for(key, plan.rng):
            if plan.room <= 0:
                return
            prepared = True
            if all(call.endpoint != producer for call in plan.calls):
                self._append(plan, producer, depth + 1)
        creators = self.resources.creators(key)
        if not prepared and creators and plan.room > 0 and plan.rng.random() < _PREPARE_SHARE:
            self._append(plan, plan.rng.choice(creators), depth + 1)

    def producers_for(self, key: str, rng: Random) -> list[str]:
        """Draw the endpoints that should answer before `key` is called."""
        found: dict[str, None] = {}
        for parameter in self._model.endpoint(key).parameters:
            source = self._pages.token_sources.get((key, parameter.name))
            if source is not None and parameter.location is Location.FORM:
                found[source] = None
                continue
            if parameter.location is Location.JSON:
                continue
            candidates = self._catalog.candidates(key, parameter.location, parameter.name)
            if candidates and rng.random() < _PREPARE_SHARE:
                weights = [candidate.weight for candidate in candidates]
                found[rng.choices(candidates, weights)[0].product.producer] = None
        found.pop(key, None)
        return list(found)
