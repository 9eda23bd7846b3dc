"""Builds sequences of calls: everything that an endpoint needs first, then its call.

begin      as the endpoint succeeded before, after another success, or anew
admit      the calls and credentials that let a caller in where strangers are refused
prepare    the pages whose tokens it wants, and what its parameters can be taken from
call       much like one that succeeded, or a fresh one, with links to the answers before it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.descriptions.server_choices import leaves_something
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.learning.admission import Passport
from pytest_evosearch.problem.http.learning.outcomes import CLEAR_SUCCESS
from pytest_evosearch.problem.http.learning.recipes import Recipe
from pytest_evosearch.problem.http.learning.recipes import detached
from pytest_evosearch.problem.http.learning.recipes import spliced

DEEPEST_PREPARATION = 3
"""Deepest nesting of creating calls that need something created first."""

PREPARING_REPEATS = 0.85
"""How often a preparing call repeats an earlier success: only its effect matters."""

LOOKING_REPEATS = 0.2
"""How often the call that a test is about repeats an earlier success unchanged."""

LOOKING_VARIATIONS = 0.25
"""How often that call repeats an earlier success with one value changed."""

ATTEMPT_SHARE = 0.6
"""How often a call that never succeeded repeats the attempt that got furthest."""

FRESH_SHARE = 0.15
"""How often a call that never succeeded omits what a server chooses."""

_PREPARE_SHARE = 0.75
_LOGIN_SHARE = 0.2
_REFUSED_LOGIN_SHARE = 0.6
"""How often a test logs in first, where an anonymous caller was refused; elsewhere less often."""

_ADMISSION_SHARE = 0.95
_TOKEN_SHARE = 0.95
"""How often a guarded endpoint is called with credentials that worked before."""

_OWN_RECIPE_SHARE = 0.35
_OTHER_RECIPE_SHARE = 0.30
"""How often a test begins like a successful one, of this endpoint or of any other."""

_INHERIT_SHARE = 0.9
"""How often path, headers and cookies are those of the successful call."""

_INHERITED = frozenset({Location.PATH, Location.HEADER, Location.COOKIE, Location.ENVIRON})

_PSEUDO_ENDPOINT = ""


@dataclass
class Plan:
    """A test under construction."""

    rng: Random
    user: str | None
    most_calls: int
    fullness: Fullness | None = None
    """How much each call sends; None draws it anew for each call."""
    calls: list[Call] = field(default_factory=list)
    reserved: int = 0
    """Number of calls that have a reserved place after those being added now."""

    @property
    def room(self) -> int:
        """How many more calls fit."""
        return self.most_calls - len(self.calls) - self.reserved

    @property
    def next_label(self) -> int:
        """A label that no call has yet."""
        return max((call.label for call in self.calls), default=0) + 1

    def splice(self, calls: Sequence[Call]) -> bool:
        """Add the missing ones of `calls`; say whether there was room."""
        added = spliced(self.calls, calls)
        if len(added) > self.room:
            return False
        self.calls += added
        return True


class Composer:
    """Builds sequences: preparing calls, the call itself, and a look at its effect."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._keys = known.model.keys

    def compose(self, plan: Plan, key: str) -> None:
        """Build a sequence around the endpoint: prepare, call it, look at the effect."""
        rng = plan.rng
        self.begin(plan, key)
        shape = rng.random()
        if shape < 0.45:
            return
        if shape < 0.60:
            self._repeat(plan)
        else:
            siblings = self._known.experience.resources.siblings(key)
            others = siblings if siblings and shape < 0.92 else self._keys
            for _ in range(1 if rng.random() < 0.6 else 1 + rng.randrange(3)):
                if plan.room > 0:
                    self.append(plan, self._known.freezes.choose(others, rng))

    def begin(self, plan: Plan, key: str) -> None:
        """Begin at the endpoint: like an earlier success, after another success, or anew."""
        rng, recipes = plan.rng, self._known.experience.recipes
        way = rng.random()
        if way < _OWN_RECIPE_SHARE:
            recipe = self._known.experience.way_to(key, plan.user, rng)
            if recipe is not None and self.begin_as(plan, recipe):
                return
        elif way < _OWN_RECIPE_SHARE + _OTHER_RECIPE_SHARE:
            known = list(self._known.experience.changing)
            recipe = recipes.draw(rng.choice(known), plan.user, rng) if known else None
            if recipe is not None and len(recipe.calls) < plan.room:
                plan.user = recipe.user
                plan.splice(recipe.calls)
        elif rng.random() < _LOGIN_SHARE and not self._known.experience.admission.passports:
            self._log_in(plan, key)
        self.append(plan, key)

    def begin_as(self, plan: Plan, recipe: Recipe) -> bool:
        """Add the calls before a success, then a call much like the successful one."""
        if len(recipe.calls) > plan.room or self._lacks_token(recipe):
            return False
        plan.user = recipe.user
        plan.splice(recipe.calls[:-1])
        pattern = spliced(plan.calls, (*recipe.calls[:-1], _nameless(recipe.calls[-1])))[-1]
        if plan.fullness is Fullness.FULL:
            plan.calls.append(self._known.maker.completed(_named(pattern, recipe), plan.rng))
            return True
        call = self._draw_call(plan, recipe.calls[-1].endpoint, LOOKING_REPEATS)
        call = self._known.linker.connected(self._with_token(call, plan.rng), plan.calls, plan.rng)
        for given in pattern.inputs:
            kept = given.location in _INHERITED
            if kept and plan.rng.random() < _INHERIT_SHARE:
                call = call.with_input(given)
        plan.calls.append(call)
        return True

    def _lacks_token(self, recipe: Recipe) -> bool:
        """Say whether an attempt failed because it lacked the token of its form.

        The page of the form was not known then. A response that may show the form again is no
        success, so it does not prove that the call needs no token.
        """
        return recipe.quality < CLEAR_SUCCESS and self._known.tokens.lacks_token(recipe.calls[-1])

    def _log_in(self, plan: Plan, key: str) -> None:
        """Register, then log in with the registered values."""
        plan.reserved += 1
        for candidates in (
            self._known.experience.resources.registrations,
            self._known.experience.resources.logins,
        ):
            if candidates and plan.room > 0:
                chosen = plan.rng.choice(candidates)
                if chosen != key and all(call.endpoint != chosen for call in plan.calls):
                    self.append(plan, chosen, depth=DEEPEST_PREPARATION)
        plan.reserved -= 1

    def _repeat(self, plan: Plan) -> None:
        """Send the last call twice: conflicts, double deletions, cached answers."""
        if plan.room > 0:
            plan.calls.append(replace(plan.calls[-1], label=plan.next_label))

    def append(self, plan: Plan, key: str, depth: int = 0) -> None:
        """Add a call after the calls that it needs; `depth` counts the calls it is made for."""
        plan.reserved += 1
        credentials = self._admit(plan, key, depth)
        if depth < DEEPEST_PREPARATION and plan.room > 0:
            self._prepare(plan, key, depth)
        elif depth == DEEPEST_PREPARATION:
            self._fetch_tokens(plan, key)
        plan.reserved -= 1
        call = self._draw_call(plan, key, PREPARING_REPEATS if depth else LOOKING_REPEATS)
        call = self._known.linker.connected(self._with_token(call, plan.rng), plan.calls, plan.rng)
        for given in credentials:
            call = call.with_input(given)
        plan.calls.append(call)

    def _admit(self, plan: Plan, key: str, depth: int) -> Sequence[Input]:
        """Add the calls that let a user into a guarded endpoint; return the credentials."""
        admission, rng = self._known.experience.admission, plan.rng
        if not admission.is_guarded(key):
            return ()
        passport = admission.draw(key, rng)
        if passport is None:
            if depth < DEEPEST_PREPARATION and rng.random() < _REFUSED_LOGIN_SHARE:
                self._log_in(plan, key)
            return ()
        return self._with_passport(plan, passport) if rng.random() < _ADMISSION_SHARE else ()

    def _with_passport(self, plan: Plan, passport: Passport) -> Sequence[Input]:
        if not plan.calls:
            plan.user = passport.user
        showing = Call(_PSEUDO_ENDPOINT, passport.credentials, 0, passport.user)
        added = spliced(plan.calls, (*passport.calls, showing))
        if len(added) - 1 > plan.room:
            return ()
        plan.calls += added[:-1]
        return added[-1].inputs

    def _draw_call(self, plan: Plan, key: str, repeats: float) -> Call:
        label, rng = plan.next_label, plan.rng
        attempt = self._known.experience.attempts.get(key)
        if plan.fullness is Fullness.FULL and attempt is not None:
            return self._known.maker.completed(detached(attempt.calls[-1], label, plan.user), rng)
        if plan.fullness is None:
            chance = rng.random()
            if chance < repeats + LOOKING_VARIATIONS:
                varied = chance >= repeats
                call = self._known.maker.repeat_success(key, rng, label, plan.user, varied)
                if call is not None:
                    return call
            if attempt is not None and rng.random() < ATTEMPT_SHARE:
                call = detached(attempt.calls[-1], label, plan.user)
                call = self._known.maker.completed(call, rng)
                return self._known.maker.varied(call, rng) if rng.random() < 0.5 else call
        fullness = plan.fullness or self._draw_fullness(key, rng)
        return self._known.maker.make(key, rng, label, plan.user, fullness)

    def _draw_fullness(self, key: str, rng: Random) -> Fullness:
        """Draw how much a call sends; a creating call may need less than everything."""
        unsolved = key not in self._known.experience.recipes
        if (
            unsolved
            and leaves_something(self._known.model.endpoint(key))
            and rng.random() < FRESH_SHARE
        ):
            return Fullness.FRESH
        return self._known.maker.draw_fullness(rng)

    def _fetch_tokens(self, plan: Plan, key: str) -> None:
        """Add the pages with the tokens that the endpoint requires: it reads nothing without them.

        This is the least preparation, and a log-in needs it, too.
        """
        wanted = self._known.tokens.wanted_by(key, plan.user).values()
        for page in dict.fromkeys(token.page for token in wanted):
            known = page == key or any(call.endpoint == page for call in plan.calls)
            if not known and plan.room > 0:
                self._append_producer(plan, page, DEEPEST_PREPARATION + 1)

    def _with_token(self, call: Call, rng: Random) -> Call:
        """Return `call`, nearly always with the header for a token where it takes one."""
        headed = self._known.tokens.headed(call)
        return headed if headed is call or rng.random() < _TOKEN_SHARE else call

    def _prepare(self, plan: Plan, key: str, depth: int) -> None:
        """Add the calls whose responses or effects the endpoint needs."""
        prepared = False
        for producer in self.producers_for(key, plan.user, plan.rng):
            if plan.room <= 0:
                return
            prepared = True
            if all(call.endpoint != producer for call in plan.calls):
                self._append_producer(plan, producer, depth + 1)
        creators = self._known.experience.resources.creators(key)
        if not prepared and creators and plan.room > 0 and plan.rng.random() < _PREPARE_SHARE:
            creator = plan.rng.choice(creators)
            if all(call.endpoint != creator for call in plan.calls):
                self._append_producer(plan, creator, depth + 1)

    def _append_producer(self, plan: Plan, key: str, depth: int) -> None:
        """Add a preparing call in its successful form, with all that it needed."""
        if plan.rng.random() < PREPARING_REPEATS:
            recipe = self._known.experience.recipes.draw(key, plan.user, plan.rng)
            if recipe is not None and plan.splice(recipe.calls):
                return
        self.append(plan, key, depth)

    def producers_for(self, key: str, user: str | None, rng: Random) -> list[str]:
        """Draw the endpoints that should be called before `key`."""
        found: dict[str, None] = {}
        tokens = self._known.tokens.wanted_by(key, user)
        for parameter in self._known.model.endpoint(key).parameters:
            token = tokens.get(parameter.key)
            if token is not None:
                found[token.page] = None
                continue
            if parameter.location is Location.JSON:
                continue
            candidates = self._known.catalog.candidates(key, parameter.location, parameter.name)
            if candidates and rng.random() < _PREPARE_SHARE:
                weights = [candidate.weight for candidate in candidates]
                found[rng.choices(candidates, weights)[0].product.producer] = None
        found.pop(key, None)
        return list(found)


def _named(call: Call, recipe: Recipe) -> Call:
    return replace(call, endpoint=recipe.calls[-1].endpoint)


def _nameless(call: Call) -> Call:
    return replace(call, endpoint=_PSEUDO_ENDPOINT)
