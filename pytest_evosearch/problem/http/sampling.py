"""Fresh tests: a systematic sweep first, then sequences that begin where earlier ones arrived."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.admission import Passport
from pytest_evosearch.problem.http.adoption import applied
from pytest_evosearch.problem.http.calls import CallMaker
from pytest_evosearch.problem.http.calls import Fullness
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.endpoint import is_safe
from pytest_evosearch.problem.http.experience import Experience
from pytest_evosearch.problem.http.forgery import ForgeryTokens
from pytest_evosearch.problem.http.freezes import FreezeStatistics
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.individual import Input
from pytest_evosearch.problem.http.leads import Leads
from pytest_evosearch.problem.http.linking import Linker
from pytest_evosearch.problem.http.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.pages import PageReader
from pytest_evosearch.problem.http.parameters import EndpointModel
from pytest_evosearch.problem.http.producers import ProducerCatalog
from pytest_evosearch.problem.http.recipes import Recipe
from pytest_evosearch.problem.http.recipes import detached
from pytest_evosearch.problem.http.recipes import spliced
from pytest_evosearch.problem.http.server_choices import leaves_something

SWEEPS_PER_ENDPOINT = 12
"""Visits of an endpoint by the sweep: each may reveal one more parameter (a missing form
field answers 400 before the next one is read)."""

DEEPEST_PREPARATION = 3
"""Creating calls that themselves need something created, and so on."""

WEIGHTS_KEPT_FOR = 32
"""Samples between two looks at which endpoints deserve more of them."""

PREPARING_REPEATS = 0.85
"""How often a preparing call sends what succeeded before: it is there for its effect."""

LOOKING_REPEATS = 0.2
"""How often the call that a test is about does so: it is there to find something new."""

LOOKING_VARIATIONS = 0.25
"""How often it sends what succeeded before but for one value."""

ATTEMPT_SHARE = 0.6
"""How often a call that never succeeded sends what got furthest."""

FRESH_SHARE = 0.15
"""How often a call that never succeeded leaves to the server what a server chooses."""

FAR_SHARE = 0.4
"""How often a sample is what `Experience.next_far_trial` proposes, while there is any."""

GUIDED_SHARE = 0.6
"""How often a sample follows what a failure suggests, while there are suggestions."""

GUIDED_ATTEMPTS = 20
"""Suggestions looked at for one that can be followed."""

_PREPARE_SHARE = 0.75
_ANONYMOUS_SHARE = 0.15
_LOGIN_SHARE = 0.2
_REFUSED_LOGIN_SHARE = 0.6
"""How often a test logs in first: more often where an anonymous caller was refused."""

_ADMISSION_SHARE = 0.95
_TOKEN_SHARE = 0.95
"""How often a guarded endpoint is called with credentials that let somebody in before."""

_OWN_RECIPE_SHARE = 0.35
_OTHER_RECIPE_SHARE = 0.30
"""How often a test begins as one did that succeeded: at this endpoint, or at any other."""

_INHERIT_SHARE = 0.9
"""How often path, headers and cookies are those of the call that succeeded."""

_GAIN_FADES = 0.85
_UNSOLVED_WEIGHT = 3.0
"""How much more an endpoint deserves samples that never succeeded."""

_PSEUDO_ENDPOINT = ""


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

    @property
    def next_label(self) -> int:
        return max((call.label for call in self.calls), default=0) + 1

    def splice(self, calls: Sequence[Call]) -> bool:
        """Add what is missing of `calls`; say whether there was room."""
        added = spliced(self.calls, calls)
        if len(added) > self.room:
            return False
        self.calls += added
        return True


class Sampler:
    """Makes fresh individuals."""

    def __init__(
        self,
        model: EndpointModel,
        catalog: ProducerCatalog,
        maker: CallMaker,
        linker: Linker,
        pages: PageReader,
        tokens: ForgeryTokens,
        experience: Experience,
        leads: Leads,
        users: Sequence[str],
        most_calls: int,
    ) -> None:
        self._model = model
        self._catalog = catalog
        self._maker = maker
        self._linker = linker
        self._pages = pages
        self._tokens = tokens
        self._experience = experience
        self._leads = leads
        self._users = list(users)
        self._most_calls = most_calls
        self.resources = experience.resources
        self._keys = model.keys
        self._stateful = not all(map(is_safe, model.keys))
        self._sweep = self._first_sweep()
        self._sweeps = dict.fromkeys(self._keys, 0)
        self._tries = dict.fromkeys(self._keys, 0)
        self.freezes = FreezeStatistics()
        self._gains = dict.fromkeys(self._keys, 0.0)
        self._cumulated: list[float] = []
        self._samples_until_weighing = 0

    def _first_sweep(self) -> deque[tuple[str, str | None, Fullness]]:
        """Return the visits of every endpoint: by nobody, as each user, then with all it takes.

        Everything once comes before anything twice, should the time run out.
        """
        visits = [
            (key, user, Fullness.PLAIN) for user in (None, *self._users) for key in self._keys
        ]
        return deque([*visits, *((key, self._principal, Fullness.FULL) for key in self._keys)])

    @property
    def _principal(self) -> str | None:
        return self._users[0] if self._users else None

    @property
    def surveyed(self) -> bool:
        """Whether each endpoint was visited."""
        return all(self._tries.values())

    @property
    def stateful(self) -> bool:
        """Whether any endpoint can change the application's state."""
        return self._stateful

    def credit(self, key: str, gain: float) -> None:
        """Note that a test of this endpoint improved some targets."""
        if key in self._gains:
            self._gains[key] += gain

    def visit(self, rng: Random) -> Individual | None:
        """Return the next trial, visit of the sweep or lead, None while none of them is due."""
        trial = self._experience.next_trial()
        if trial is not None:
            if isinstance(trial, Individual):
                return trial
            if self._is_trusted(trial.key, rng):
                return self._extended(trial.base, trial.key, rng)
        self._queue_changed()
        while self._sweep:
            key, user, fullness = self._sweep.popleft()
            named = fullness is Fullness.PLAIN and user is not None
            if not (named and self._tokens.gate.is_closed(key)):
                return self._swept(key, user, fullness, rng)
        return self._leads.next()

    def sample(self, rng: Random) -> Individual:
        """Return the next visit, or a random test once those are through."""
        visit = self.visit(rng)
        if visit is not None:
            return visit
        if rng.random() < GUIDED_SHARE:
            advanced = self._guided(rng)
            if advanced is not None:
                return advanced
        if rng.random() < FAR_SHARE:
            far = self._experience.next_far_trial()
            if far is not None and self._is_trusted(far.key, rng):
                return self._extended(far.base, far.key, rng)
        key = self._choose_endpoint(rng)
        plan = _Plan(rng, self._pages.reader_for(key, self.choose_user(rng)), self._most_calls)
        if self._model.endpoint(key).method == "GET" and not self._stateful:
            self._append(plan, key)
        else:
            self._compose(plan, key)
        return self._finished(plan)

    def offers(self, individual: Individual | None, rng: Random) -> Sequence[str]:
        """Return what can be called next: nothing when the test is full."""
        if individual is not None and len(individual) >= self._most_calls:
            return ()
        return [key for key in self._keys if self._is_trusted(key, rng)]

    def extend(self, individual: Individual | None, key: str, rng: Random) -> Individual:
        """Call an endpoint after all calls of `individual`, None to begin with it."""
        self._tries[key] += 1
        if individual is None:
            plan = _Plan(rng, self._pages.reader_for(key, self.choose_user(rng)), self._most_calls)
            self._begin(plan, key)
        else:
            plan = _Plan(rng, individual.calls[0].user, self._most_calls)
            plan.calls += individual.calls
            self._append(plan, key)
        return self._finished(plan)

    def _is_trusted(self, key: str, rng: Random) -> bool:
        """Draw whether to call an endpoint: rarely when it froze."""
        weight = self.freezes.weight(key)
        return weight >= 1.0 or rng.random() < weight

    def _guided(self, rng: Random) -> Individual | None:
        """Follow what a failure suggests."""
        for _ in range(GUIDED_ATTEMPTS):
            trial = self._experience.next_guided_trial()
            if trial is None:
                return None
            if not self._is_trusted(trial.hint.endpoint, rng):
                continue
            advanced = applied(trial.individual, trial.hint, self._model, rng)
            if advanced is not None:
                return advanced
        return None

    def _finished(self, plan: _Plan) -> Individual:
        return Individual(tuple(plan.calls)).sent_by(plan.user)

    def choose_user(self, rng: Random) -> str | None:
        """Return a user, now and then nobody."""
        if not self._users or rng.random() < _ANONYMOUS_SHARE:
            return None
        return rng.choice(self._users)

    def _queue_changed(self) -> None:
        """Visit again what has learnt something since its last visit, the doors first.

        All that is behind a registration or a log-in waits for them.
        """
        doors = (*self.resources.registrations, *self.resources.logins)
        for key in self._model.take_changed():
            visit = (key, self._principal, Fullness.FULL)
            if self._sweeps[key] >= SWEEPS_PER_ENDPOINT or visit in self._sweep:
                continue
            self._sweeps[key] += 1
            if key in doors:
                self._sweep.appendleft(visit)
            else:
                self._sweep.append(visit)
            if leaves_something(self._model.endpoint(key)):
                self._sweep.append((key, self._principal, Fullness.FRESH))

    def _swept(self, key: str, user: str | None, fullness: Fullness, rng: Random) -> Individual:
        self._tries[key] += 1
        if fullness is not Fullness.PLAIN:
            user = self._pages.reader_for(key, user)
        plan = _Plan(rng, user, self._most_calls, fullness)
        if fullness is Fullness.PLAIN:
            plan.calls.append(self._maker.make(key, rng, 1, user, fullness))
        elif fullness is Fullness.FRESH:
            self._append(plan, key)
        else:
            recipe = self._experience.way_to(key, user, rng)
            if recipe is None or not self._begin_as(plan, recipe):
                self._append(plan, key)
        return self._finished(plan)

    def _extended(self, base: str | None, key: str, rng: Random) -> Individual:
        """Call an endpoint with everything that it takes, after what `base` succeeded with."""
        user = self._pages.reader_for(key, self._principal)
        plan = _Plan(rng, user, self._most_calls - 1, Fullness.FULL)
        recipe = None if base is None else self._experience.recipes.draw(base, plan.user, rng)
        if recipe is not None and self._pages.reader_for(key, recipe.user) == recipe.user:
            plan.user = recipe.user
            plan.splice(recipe.calls)
        plan.most_calls += 1
        self._append(plan, key)
        return self._finished(plan)

    def _choose_endpoint(self, rng: Random) -> str:
        """Prefer endpoints that were tried little, that never succeeded, or that still move."""
        if self._samples_until_weighing <= 0:
            self._samples_until_weighing = WEIGHTS_KEPT_FOR
            total = 0.0
            self._cumulated = []
            for key in self._keys:
                total += self._weight_of(key) * self.freezes.weight(key)
                self._cumulated.append(total)
                self._gains[key] *= _GAIN_FADES
        self._samples_until_weighing -= 1
        key = rng.choices(self._keys, cum_weights=self._cumulated)[0]
        self._tries[key] += 1
        return key

    def _weight_of(self, key: str) -> float:
        rarity: float = 1.0 / (1.0 + self._tries[key]) ** 0.5
        if self._stateful and key not in self._experience.recipes:
            rarity *= _UNSOLVED_WEIGHT
        return rarity + 0.2 * min(self._gains[key], 5.0)

    def _compose(self, plan: _Plan, key: str) -> None:
        """Build a sequence around the endpoint: prepare, call it, look at the effect."""
        rng = plan.rng
        self._begin(plan, key)
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

    def _begin(self, plan: _Plan, key: str) -> None:
        """Arrive at the endpoint: as it succeeded before, after another success, or anew."""
        rng, recipes = plan.rng, self._experience.recipes
        way = rng.random()
        if way < _OWN_RECIPE_SHARE:
            recipe = self._experience.way_to(key, plan.user, rng)
            if recipe is not None and self._begin_as(plan, recipe):
                return
        elif way < _OWN_RECIPE_SHARE + _OTHER_RECIPE_SHARE:
            known = list(self._experience.changing)
            recipe = recipes.draw(rng.choice(known), plan.user, rng) if known else None
            if recipe is not None and len(recipe.calls) < plan.room:
                plan.user = recipe.user
                plan.splice(recipe.calls)
        elif rng.random() < _LOGIN_SHARE and not self._experience.admission.passports:
            self._log_in(plan, key)
        self._append(plan, key)

    def _begin_as(self, plan: _Plan, recipe: Recipe) -> bool:
        """Do what came before a success, then make a call much like the one that succeeded."""
        if len(recipe.calls) > plan.room or self._lacks_token(recipe):
            return False
        plan.user = recipe.user
        plan.splice(recipe.calls[:-1])
        pattern = spliced(plan.calls, (*recipe.calls[:-1], _nameless(recipe.calls[-1])))[-1]
        if plan.fullness is Fullness.FULL:
            plan.calls.append(self._maker.completed(_named(pattern, recipe), plan.rng))
            return True
        call = self._draw_call(plan, recipe.calls[-1].endpoint, LOOKING_REPEATS)
        call = self._linker.connected(self._with_token(call, plan.rng), plan.calls, plan.rng)
        for given in pattern.inputs:
            kept = given.location in (Location.PATH, Location.HEADER, Location.COOKIE)
            if kept and plan.rng.random() < _INHERIT_SHARE:
                call = call.with_input(given)
        plan.calls.append(call)
        return True

    def _lacks_token(self, recipe: Recipe) -> bool:
        """Say whether an attempt failed without the token of its form: the page was unknown yet.

        A page that may be the form once more is no success that would show it is not needed.
        """
        return recipe.quality < CLEAR_SUCCESS and self._tokens.lacks_token(recipe.calls[-1])

    def _log_in(self, plan: _Plan, key: str) -> None:
        """Register, then log in with the same values."""
        plan.reserved += 1
        for candidates in (self.resources.registrations, self.resources.logins):
            if candidates and plan.room > 0:
                chosen = plan.rng.choice(candidates)
                if chosen != key and all(call.endpoint != chosen for call in plan.calls):
                    self._append(plan, chosen, depth=DEEPEST_PREPARATION)
        plan.reserved -= 1

    def _repeat(self, plan: _Plan) -> None:
        """Send the last call twice: conflicts, double deletions, cached answers."""
        if plan.room > 0:
            plan.calls.append(replace(plan.calls[-1], label=plan.next_label))

    def _append(self, plan: _Plan, key: str, depth: int = 0) -> None:
        plan.reserved += 1
        credentials = self._admit(plan, key, depth)
        if depth < DEEPEST_PREPARATION and plan.room > 0:
            self._prepare(plan, key, depth)
        elif depth == DEEPEST_PREPARATION:
            self._fetch_tokens(plan, key)
        plan.reserved -= 1
        call = self._draw_call(plan, key, PREPARING_REPEATS if depth else LOOKING_REPEATS)
        call = self._linker.connected(self._with_token(call, plan.rng), plan.calls, plan.rng)
        for given in credentials:
            call = call.with_input(given)
        plan.calls.append(call)

    def _admit(self, plan: _Plan, key: str, depth: int) -> Sequence[Input]:
        """Add the calls that let somebody in at a guarded endpoint; return the credentials."""
        admission, rng = self._experience.admission, plan.rng
        if not admission.is_guarded(key):
            return ()
        passport = admission.draw(key, rng)
        if passport is None:
            if depth < DEEPEST_PREPARATION and rng.random() < _REFUSED_LOGIN_SHARE:
                self._log_in(plan, key)
            return ()
        return self._with_passport(plan, passport) if rng.random() < _ADMISSION_SHARE else ()

    def _with_passport(self, plan: _Plan, passport: Passport) -> Sequence[Input]:
        if not plan.calls:
            plan.user = passport.user
        showing = Call(_PSEUDO_ENDPOINT, passport.credentials, 0, passport.user)
        added = spliced(plan.calls, (*passport.calls, showing))
        if len(added) - 1 > plan.room:
            return ()
        plan.calls += added[:-1]
        return added[-1].inputs

    def _draw_call(self, plan: _Plan, key: str, repeats: float) -> Call:
        label, rng = plan.next_label, plan.rng
        attempt = self._experience.attempts.get(key)
        if plan.fullness is Fullness.FULL and attempt is not None:
            return self._maker.completed(detached(attempt.calls[-1], label, plan.user), rng)
        if plan.fullness is None:
            chance = rng.random()
            if chance < repeats + LOOKING_VARIATIONS:
                varied = chance >= repeats
                call = self._maker.repeat_success(key, rng, label, plan.user, varied)
                if call is not None:
                    return call
            if attempt is not None and rng.random() < ATTEMPT_SHARE:
                call = detached(attempt.calls[-1], label, plan.user)
                call = self._maker.completed(call, rng)
                return self._maker.varied(call, rng) if rng.random() < 0.5 else call
        fullness = plan.fullness or self._draw_fullness(key, rng)
        return self._maker.make(key, rng, label, plan.user, fullness)

    def _draw_fullness(self, key: str, rng: Random) -> Fullness:
        """Draw how much a call sends; what creates something may want less than all of it."""
        unsolved = key not in self._experience.recipes
        if unsolved and leaves_something(self._model.endpoint(key)) and rng.random() < FRESH_SHARE:
            return Fullness.FRESH
        return self._maker.draw_fullness(rng)

    def _fetch_tokens(self, plan: _Plan, key: str) -> None:
        """Add the pages whose tokens the endpoint wants: it reads nothing without them.

        The least preparation, also of a log-in.
        """
        wanted = self._tokens.wanted_by(key, plan.user).values()
        for page in dict.fromkeys(token.page for token in wanted):
            known = page == key or any(call.endpoint == page for call in plan.calls)
            if not known and plan.room > 0:
                self._append_producer(plan, page, DEEPEST_PREPARATION + 1)

    def _with_token(self, call: Call, rng: Random) -> Call:
        """Return `call` with the header for a token, where it wants one, nearly always."""
        headed = self._tokens.headed(call)
        return headed if headed is call or rng.random() < _TOKEN_SHARE else call

    def _prepare(self, plan: _Plan, key: str, depth: int) -> None:
        """Add the calls whose answers or effects the endpoint feeds on."""
        prepared = False
        for producer in self.producers_for(key, plan.user, plan.rng):
            if plan.room <= 0:
                return
            prepared = True
            if all(call.endpoint != producer for call in plan.calls):
                self._append_producer(plan, producer, depth + 1)
        creators = self.resources.creators(key)
        if not prepared and creators and plan.room > 0 and plan.rng.random() < _PREPARE_SHARE:
            creator = plan.rng.choice(creators)
            if all(call.endpoint != creator for call in plan.calls):
                self._append_producer(plan, creator, depth + 1)

    def _append_producer(self, plan: _Plan, key: str, depth: int) -> None:
        """Add a preparing call as it succeeded before, with all that it needed."""
        if plan.rng.random() < PREPARING_REPEATS:
            recipe = self._experience.recipes.draw(key, plan.user, plan.rng)
            if recipe is not None and plan.splice(recipe.calls):
                return
        self._append(plan, key, depth)

    def producers_for(self, key: str, user: str | None, rng: Random) -> list[str]:
        """Draw the endpoints that should answer before `key` is called."""
        found: dict[str, None] = {}
        tokens = self._tokens.wanted_by(key, user)
        for parameter in self._model.endpoint(key).parameters:
            token = tokens.get(parameter.key)
            if token is not None:
                found[token.page] = None
                continue
            if parameter.location is Location.JSON:
                continue
            candidates = self._catalog.candidates(key, parameter.location, parameter.name)
            if candidates and rng.random() < _PREPARE_SHARE:
                weights = [candidate.weight for candidate in candidates]
                found[rng.choices(candidates, weights)[0].product.producer] = None
        found.pop(key, None)
        return list(found)


def _named(call: Call, recipe: Recipe) -> Call:
    return replace(call, endpoint=recipe.calls[-1].endpoint)


def _nameless(call: Call) -> Call:
    return replace(call, endpoint=_PSEUDO_ENDPOINT)
