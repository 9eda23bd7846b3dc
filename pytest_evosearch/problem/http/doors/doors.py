"""Finds credentials that let a caller in, once every endpoint was visited.

for each endpoint that has not surely succeeded
    climb (`problem.http.doors.climbing`)
    a change that the gain depends on is a credential: every new call holds it, and endpoints
    that take it are visited again
for each endpoint that changes something, while others refuse
    climb beyond its answer to a wrong log-in (`problem.http.doors.log_ins`), once for each person
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Generator
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from itertools import product
from typing import TypeAlias
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import BEFORE_THE_CALLER
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import COLUMN
from pytest_evosearch.instrument.probing.weighing import SIGNED
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Accounts
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Introduce
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.callers import reads_forms_alone
from pytest_evosearch.problem.http.doors.climbing import Ascent
from pytest_evosearch.problem.http.doors.climbing import Climb
from pytest_evosearch.problem.http.doors.climbing import InputKey
from pytest_evosearch.problem.http.doors.climbing import Rows
from pytest_evosearch.problem.http.doors.climbing import Step
from pytest_evosearch.problem.http.doors.climbing import corrected_at
from pytest_evosearch.problem.http.doors.climbing import gained
from pytest_evosearch.problem.http.doors.climbing import is_taken
from pytest_evosearch.problem.http.doors.climbing import lost
from pytest_evosearch.problem.http.doors.climbing import opens
from pytest_evosearch.problem.http.doors.climbing import turns_down
from pytest_evosearch.problem.http.doors.climbing import with_keys
from pytest_evosearch.problem.http.doors.climbing import with_spoilt_keys
from pytest_evosearch.problem.http.doors.climbing import without_keys
from pytest_evosearch.problem.http.doors.colouring import AUTHORIZATION
from pytest_evosearch.problem.http.doors.colouring import coloured
from pytest_evosearch.problem.http.doors.colouring import coloured_last
from pytest_evosearch.problem.http.doors.colouring import is_open
from pytest_evosearch.problem.http.doors.exact_keys import with_other_characters
from pytest_evosearch.problem.http.doors.log_ins import after_its_page
from pytest_evosearch.problem.http.doors.log_ins import answers_to_both
from pytest_evosearch.problem.http.doors.log_ins import are_served
from pytest_evosearch.problem.http.doors.log_ins import name_sent
from pytest_evosearch.problem.http.doors.returning import fleeting_cookies
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.exchanges.moments import form_of
from pytest_evosearch.problem.http.exchanges.signed_text import signed_text
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.call_maker import Fullness
from pytest_evosearch.problem.http.filling.key_ring import KEY_LOCATIONS
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.alike import Answer
from pytest_evosearch.problem.http.learning.alike import answer_of
from pytest_evosearch.problem.http.learning.experience import Experience
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens
from pytest_evosearch.problem.http.learning.outcomes import FAILURE
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

Keys: TypeAlias = "Mapping[tuple[Location, str], Gene]"
"""Inputs that let a caller in, with their values."""

Resign: TypeAlias = "Callable[[Comparison], Iterable[tuple[str, str]]]"
"""Takes a comparison; returns pairs of a sent token and its replacement."""

MOST_PROOFS = 3
"""Most other endpoints at which keys are tried."""

MOST_TOKENS = 12
"""Most tests with a text of an earlier response that are tried at one endpoint."""

MOST_OBSTACLES = 3
"""Most places of comparisons in a report that no caller was let in."""

MOST_PAIRS = 40
"""Most pairs of endpoints that are climbed one after the other; each takes three looks."""

MOST_PERSONS = 12
"""Most people whose log-in is climbed at one endpoint."""

MOST_LOG_INS = 6
"""Endpoints that are climbed though they seem to succeed."""

MOST_CLIMBS = 12
"""Most endpoints that are climbed before something is found; a common check makes them alike."""


MOST_OWNERS = 3
"""Most ways to an account that are tried at each endpoint while no caller is let in."""

MOST_CALLERS = 6
"""Most callers with keys of their own; each costs a climb."""


class Doors:
    """Proposes looks at endpoints that refuse, and gives found credentials to makers of calls."""

    def __init__(
        self,
        model: EndpointModel,
        maker: CallMaker,
        experience: Experience,
        pool: ValuePool,
        catalog: ProducerCatalog,
        introduce: Introduce,
        attempt: Try,
        accounts: Accounts,
        signs: Callable[[str], bool],
        way_of: Callable[[Request, str], object],
        resign: Resign,
        tokens: ForgeryTokens,
        users_are_known: bool,
        kept: Callable[[], Iterable[str | bytes]] = tuple,
    ) -> None:
        self._model = model
        self._maker = maker
        self._experience = experience
        self._pool = pool
        self._introduce = introduce
        self._rows = Rows(lambda: dict.fromkeys((*pool.stored_texts(), *kept())), attempt)
        self._accounts = accounts
        self._signs = signs
        self._way_of = way_of
        self._resign = resign
        self._tokens = tokens
        self._users_are_known = users_are_known
        """Whether there are users before the search: no log-in is climbed to find more."""
        self._owners: dict[str, Caller] = {}
        """Users for looks only, whose account is created first."""
        self._catalog = catalog
        self._callers: dict[str, Caller] = {}
        self._returning: list[Caller] = []
        """Callers who have logged in, and may hold lasting cookies."""
        self._climbed: set[tuple[str, str | None]] = set()
        self._obstacles: dict[str, str] = {}
        """Endpoint that was climbed -> what it compared last."""
        self._signed: dict[str, list[tuple[InputKey, TargetId]]] = {}
        """Endpoint -> inputs that sign the rest of a request, and where each is checked."""
        self._refused: dict[str, dict[str, None]] = {}
        """User -> endpoints that have refused this user."""
        self._sent_on: dict[str, None] = {}
        """Endpoints that have redirected anonymous callers, perhaps to a log-in."""
        self._cookie_setters: dict[str, None] = {}
        """Safe endpoints that set cookies for anonymous callers."""
        self._ways: dict[str, Individual] = {}
        """Endpoint that was climbed after others -> the test that got through."""
        self._preceded: set[tuple[str, str]] = set()
        """Pairs of endpoints of which the second was climbed after the first."""
        self._tried_log_ins: set[str] = set()
        """Endpoints that were climbed though they seem to succeed."""
        self._climber: str | None = None
        """The user as whom the endpoint is climbed now."""
        self._running: Generator[Individual, Observation, None] | None = None
        self._awaited: Individual | None = None
        self._shown: Observation | None = None

    def next_look(self, rng: Random, pressing: bool) -> Individual | None:
        """Return the next test for a close look, None when there is none.

        With `pressing`, climb only endpoints that are known to refuse.
        """
        while True:
            if self._running is None:
                self._running = self._next_climb(rng, pressing)
                if self._running is None:
                    return None
            try:
                shown, self._shown = self._shown, None
                # The first value sent to a generator must be None.
                self._awaited = self._running.send(shown)  # type: ignore[arg-type]
            except StopIteration:
                self._running = None
            else:
                return self._awaited

    def awaits(self, individual: Individual) -> bool:
        """Say whether this test is a look, or waits for a required signature."""
        return individual is self._awaited or (
            bool(individual.calls) and individual.calls[-1].endpoint in self._signed
        )

    def learn(self, observation: Observation) -> None:
        """Learn from a look, and from callers who were refused."""
        for exchange in observation.exchanges:
            if exchange.user is None and _sets_cookies(exchange):
                self._cookie_setters[exchange.request.endpoint] = None
            if exchange.user is None and _is_sent_on(exchange):
                self._sent_on[exchange.request.endpoint] = None
            if exchange.user in self._callers and self._experience.outcomes.is_refused(exchange):
                self._refused.setdefault(exchange.user or "", {})[exchange.request.endpoint] = None
        if observation.individual is self._awaited:
            resolved = map(self._resolved, observation.guidance)
            guidance = tuple(each for one in resolved for each in (one, *self._resigned(one)))
            self._shown, self._awaited = replace(observation, guidance=guidance), None

    def _resolved(self, comparison: Comparison) -> Comparison:
        """Return a comparison with the values of a column instead of its name."""
        if comparison.relation != COLUMN:
            return comparison
        values = self._pool.stored_under(str(comparison.wanted))
        account = self._caller_of(self._climber).account
        made = account.texts if account is not None else ()
        return comparison._replace(relation="in", wanted=(*made, *values))

    def _resigned(self, comparison: Comparison) -> Iterator[Comparison]:
        """Yield tokens that were sent beside those with another claim, where one was compared."""
        for sent, token in self._resign(comparison):
            yield Comparison(f"{SIGNED} {comparison.target}", "==", sent, token)

    def _next_climb(
        self, rng: Random, pressing: bool
    ) -> Generator[Individual, Observation, None] | None:
        if self._returning:
            return self._return(self._returning.pop(0), rng)
        climbs = Counter(user for _key, user in self._climbed)
        for key, user in self._climbs(pressing):
            if (key, user) not in self._climbed and climbs[user] < MOST_CLIMBS:
                self._climbed.add((key, user))
                return self._climb(key, user, rng)
        for pair in self._pairs(pressing):
            self._preceded.add(pair)
            return self._climb_after(*pair, rng)
        for key in () if pressing else self._log_ins():
            self._tried_log_ins.add(key)
            return self._climb_log_in(key, rng)
        return None

    def _log_ins(self) -> Iterator[str]:
        """Yield endpoints that may give a wrong log-in and a success equal responses.

        They are of interest where anything refuses, or sends anonymous callers elsewhere.
        """
        if self._users_are_known or len(self._tried_log_ins) >= MOST_LOG_INS:
            return
        if self._sent_on or any(self._asked_again()):
            changing = (key for key in self._experience.changing if not is_safe(key))
            yield from (key for key in changing if key not in self._tried_log_ins)

    def _climb_log_in(self, key: str, rng: Random) -> Generator[Individual, Observation, None]:
        """Climb an endpoint beyond its response to a wrong log-in, for one user after the other.

        A user is who is served then where the anonymous caller is not.  Of those who are served
        alike one is taken, and another one once: enough to try what others own.
        """
        self._climber = None
        base = self._base(key, rng).sent_by(None)
        base = after_its_page(base, self._tokens, self._maker, rng)
        wrong = answer_of((yield coloured_last(base)).exchanges[-1])

        def is_wrong(exchange: Exchange) -> bool:
            return answer_of(exchange) == wrong

        sent: frozenset[str] = frozenset()
        goal: frozenset[TargetId] = frozenset()
        closed = self._closed(rng)
        kinds: Counter[tuple[bool, ...]] = Counter()
        for _turn in range(MOST_PERSONS):
            signatures = self._maker.keys.signatures
            ascent = yield from self._ascent(base, rng, signatures, sent, goal, is_wrong)
            answers = [] if ascent is None else (yield from self._answers(closed, ascent))
            is_served = are_served(answers)
            if ascent is None or not (is_served or kinds):
                return
            kind = tuple(0 < known.status < FIRST_REDIRECT for _anonymous, known in answers)
            if is_served and (kind not in kinds or max(kinds.values()) == 1):
                self._logs_in(ascent)
            kinds[kind] += is_served
            goal = goal or gained(ascent)
            sent |= {name_sent(ascent.last)}
            sent |= frozenset().union(*(caller.texts for caller in self._callers.values()))

    def _was_turned_down(self, ascent: Ascent) -> bool:
        """Say whether the first look of a climb was refused, and no form that was shown again."""
        first = ascent.first.observation.exchanges[-1]
        return turns_down(first) or self._experience.outcomes.is_refused(first)

    def _changes_others(
        self, ascent: Ascent, rng: Random
    ) -> Generator[Individual, Observation, bool]:
        """Say whether a log-in by cookies changes responses of other endpoints, if there are any.

        It may lead to a second factor first, so that it need not be served.
        """
        answers = yield from self._answers(self._closed(rng), ascent)
        return not answers or any(answer_of(one) != answer_of(other) for one, other in answers)

    def _answers(
        self, bases: Iterable[Individual], ascent: Ascent
    ) -> Generator[Individual, Observation, list[tuple[Exchange, Exchange]]]:
        """Return the responses to tests: for the anonymous caller, and for the logged-in one.

        Return nothing if the climb did not end in a log-in.
        """
        before = self._caller_of(self._climber, ascent.last)
        way = self._way_after(ascent, before.way)
        user = self._rows.attempt(replace(before, way=way)) if way != before.way else None
        return (yield from answers_to_both(bases, user)) if user is not None else []

    def _closed(self, rng: Random) -> list[Individual]:
        """Return tests of the safe endpoints that refuse or redirect anonymous callers."""
        keys = dict.fromkeys((*self._asked_again(), *self._sent_on))
        return [self._base(key, rng) for key in islice(filter(is_safe, keys), MOST_CLIMBS)]

    def _climbs(self, pressing: bool) -> Iterator[tuple[str, str | None]]:
        """Yield the endpoints that may refuse, each with a user; the anonymous caller comes first.

        While no caller is let in, the owner of an account that is created first tries it, too.
        """
        refusing = [key for key in self._model.keys if self._may_refuse(key, pressing)]
        for key in dict.fromkeys((*refusing, *self._sent_on)):
            if key in refusing:
                yield key, None
            if not self._callers:
                yield from ((key, owner) for owner in self._first_owner())
        for user, caller in self._callers.items():
            passed = {call.endpoint for call in caller.way}
            keys = dict.fromkeys((*refusing, *self._refused.get(user, ())))
            yield from ((key, user) for key in keys if key not in passed)

    def _first_owner(self) -> Iterator[str]:
        firsts: dict[str, Account] = {}
        for account in self._accounts():
            firsts.setdefault(account.maker, account)
        for account in islice(firsts.values(), MOST_OWNERS):
            caller = Caller(account=account)
            name = self._rows.attempt(caller)
            if name is not None:
                self._owners[name] = caller
                yield name

    def _caller_of(self, user: str | None, step: Step | None = None) -> Caller:
        """Return what is known about a user, with the changes of a climb."""
        known = self._callers.get(user or "") or self._owners.get(user or "") or Caller()
        if step is None:
            return known
        stored = (*known.stored, *step.stored)
        return replace(known, stored=stored, account=step.account or known.account)

    def _may_refuse(self, key: str, surely: bool) -> bool:
        """Say whether an endpoint only refused, or only gave a response that many others give.

        Without `surely`, an endpoint that never succeeded is enough.
        """
        experience = self._experience
        if experience.outcomes.alike.is_only_alike(key):
            return True
        if experience.recipes.is_clear(key):
            return False
        return not surely or experience.admission.is_guarded(key)

    def _climb(
        self, key: str, user: str | None, rng: Random
    ) -> Generator[Individual, Observation, None]:
        """Climb an endpoint as a user, and again for other callers who are let in there."""
        self._climber = user
        base = self._base(key, rng).sent_by(user)
        if (yield from self._opens_to_tokens(base, user, rng)):
            return
        known = self._maker.keys.all if user is None else self._maker.keys.signatures
        ascent = yield from self._ascent(base, rng, known)
        while ascent is not None and (yield from self._finds_keys(ascent, rng)):
            if len(self._callers) >= MOST_CALLERS or user is not None:
                return
            sent = frozenset().union(*(caller.texts for caller in self._callers.values()))
            first, goal = ascent.first.individual, gained(ascent)
            ascent = yield from self._ascent(first, rng, self._maker.keys.signatures, sent, goal)
            if ascent is not None and not goal & ascent.last.observation.reached:
                return

    def _return(self, caller: Caller, rng: Random) -> Generator[Individual, Observation, None]:
        """Try refused endpoints as a caller who comes back later; make a user if one succeeds.

        The log-in sends all inputs that it takes: cookies may last only on request.
        """
        log_in = self._maker.completed(caller.way[-1], rng)  # its inputs are known by now
        before = replace(caller, way=caller.way[:-1])
        shown = yield Individual((log_in,)).sent_by(self._rows.attempt(before))
        fleeting = fleeting_cookies(shown.exchanges[-1])
        caller = replace(caller, way=(*before.way, log_in), forgotten=fleeting)
        user = self._rows.attempt(caller) if fleeting else None
        if user is None:
            return
        refused = self._experience.outcomes.is_refused
        for key in islice(self._asked_again(), MOST_PROOFS):
            base = self._base(key, rng)
            anonymous = yield base.sent_by(None)
            known = yield base.sent_by(user)
            if refused(anonymous.exchanges[-1]) and not refused(known.exchanges[-1]):
                self._introduced(caller)
                return

    def _asked_again(self) -> Iterator[str]:
        """Yield the endpoints that refuse anonymous callers."""
        return (key for key in self._model.keys if self._may_refuse(key, surely=True))

    def _climb_after(
        self, producer: str, key: str, rng: Random
    ) -> Generator[Individual, Observation, None]:
        """Climb an endpoint after another one that changes its behaviour.

        The other call sets a cookie or changes state: a nonce, a step of a set-up.
        """
        self._climber = None
        recipe = self._experience.recipes.draw(producer, None, rng)
        base = Individual((self._base(key, rng).calls[-1],))
        before = self._ways.get(producer) or (Individual(recipe.calls) if recipe else None)
        if before is None or linked_labels(base.calls[-1].inputs):
            return
        before = before.sent_by(None)
        call = replace(base.calls[0], label=before.next_label)
        after = Individual((*before.calls, call))
        plain = yield coloured_last(base)
        alone = yield before
        shown = yield coloured_last(after)
        if len(shown.exchanges) < len(after.calls) or not opens(shown, plain, alone):
            return
        ascent = yield from self._ascent(after, rng, self._maker.keys.signatures)
        if ascent is not None and self._gets_through(ascent):
            self._climbed.clear()
            self._ways[key] = ascent.last.individual
            self._preceded -= {pair for pair in self._preceded if pair[0] == key}
            yield from self._finds_keys(ascent, rng)

    def _gets_through(self, ascent: Ascent) -> bool:
        """Say whether a climb succeeded, or a form was accepted that then leads to the log-in."""
        first, last = ascent.first.observation.exchanges[-1], ascent.last.observation.exchanges[-1]
        return is_taken(first, last) or self._is_let_in(ascent)

    def _pairs(self, pressing: bool) -> Iterator[tuple[str, str]]:
        """Yield endpoints that may have to be called first, each with one that refuses."""
        if len(self._preceded) >= MOST_PAIRS:
            return
        refusing = [key for key in self._model.keys if self._may_refuse(key, pressing)]
        for key in dict.fromkeys((*refusing, *self._sent_on)):
            for producer in (*self._ways, *self._experience.changing, *self._cookie_setters):
                if producer != key and (producer, key) not in self._preceded:
                    yield producer, key

    def _opens_to_tokens(
        self, base: Individual, user: str | None, rng: Random
    ) -> Generator[Individual, Observation, bool]:
        """Send tokens from responses of successful calls, whatever their names.

        Say whether one of them lets the caller in.  A user whose row the search changed may have
        logged in with that row, and received a token.
        """
        may_hold_token = user is None or (
            self._caller_of(user).stored and not self._caller_of(user).way
        )
        if len(base.calls) != 1 or not may_hold_token:
            return False
        for individual in islice(self._with_tokens(base.calls[0], user, rng), MOST_TOKENS):
            observation = yield individual
            if len(observation.exchanges) == len(individual.calls):
                last = observation.exchanges[-1]
                if last.status and self._experience.outcomes.quality(last) != FAILURE:
                    return True
        return False

    def _with_tokens(self, call: Call, user: str | None, rng: Random) -> Iterator[Individual]:
        """Yield tests whose last call sends a text of an earlier response in one of its inputs."""
        places = [
            (*parameter.key, parameter.key == AUTHORIZATION)
            for parameter in self._model.endpoint(call.endpoint).parameters
            if parameter.location in KEY_LOCATIONS and is_open(parameter.gene)
        ]
        for producer in self._experience.changing:
            recipe = self._experience.recipes.draw(producer, user, rng)
            products = [one for one in self._catalog.products(producer) if not one.numeric]
            if recipe is None or producer == call.endpoint:
                continue
            issuing = Individual(recipe.calls).sent_by(user)
            for one, (location, name, is_bearer) in product(products[:MOST_TOKENS], places):
                link = LinkGene(issuing.calls[-1].label, one.selector, TextGene(current="a"))
                gene = PrefixedGene("Bearer ", link) if is_bearer else link
                sent = replace(call, label=issuing.next_label, user=user)
                sent = sent.with_input(Input(location, name, gene))
                yield Individual((*issuing.calls, sent))

    def _ascent(
        self,
        base: Individual,
        rng: Random,
        known: Keys,
        avoided: frozenset[str] = frozenset(),
        goal: frozenset[TargetId] = frozenset(),
        refused: Callable[[Exchange], bool] | None = None,
    ) -> Generator[Individual, Observation, Ascent | None]:
        refused = refused or self._experience.outcomes.is_refused
        complete = self._completion(rng)
        owner = self._climber if self._climber in self._owners else None
        caller = self._caller_of(self._climber)
        rows = replace(self._rows, caller=caller, owner=owner, renewed=self._up_to_date)
        climb = Climb(
            base, self._model, rng, known, refused, complete, avoided, goal, rows, self._signing
        )
        ascent = yield from climb.looks()
        self._obstacles[base.calls[-1].endpoint] = climb.obstacle
        if ascent is not None:
            ascent = self._with_signatures(ascent)
        if ascent is not None and ascent.signed_at:
            key = base.calls[-1].endpoint
            self._signed[key] = sorted(ascent.signed_at)
        return ascent

    def _with_signatures(self, ascent: Ascent) -> Ascent:
        """Return an ascent with signatures in place of values hashed with the application's key."""
        call = ascent.last.individual.calls[-1]
        signing = (one.key for one in call.inputs if self._signs(str(one.gene.value())))
        places = ((key, place) for key in signing for place in ascent.last.passed)
        return replace(ascent, signed_at=ascent.signed_at | frozenset(places))

    def shut_out(self) -> str:
        """Say that no caller was let in, and what was compared; empty where one was."""
        experience = self._experience
        keys = self._model.keys
        closed = [key for key in keys if self._may_refuse(key, surely=True)]
        if self._callers or experience.admission.passports or 2 * len(closed) < len(keys):
            return ""
        places = dict.fromkeys(one for key in closed if (one := self._obstacles.get(key)))
        if not closed or not (places or experience.admission.guarded):
            return ""
        named = f": {'; '.join(islice(places, MOST_OBSTACLES))}" if places else ""
        return f"no one was let in ({len(closed)} of {len(keys)} endpoints refuse){named}"

    def _completion(self, rng: Random) -> Callable[[Call], Call]:
        """Return a function that adds all inputs that an endpoint is now known to take."""
        known: dict[Call, tuple[object, Call]] = {}

        def complete(call: Call) -> Call:
            """Draw values only when inputs are new: otherwise each look would differ."""
            parameters = self._model.endpoint(call.endpoint).parameters
            if call not in known or known[call][0] != parameters:
                known[call] = parameters, self._maker.completed(call, rng)
            return known[call][1]

        return complete

    def corrected(self, observation: Observation, rng: Random) -> Individual | None:
        """Return a test with the signature that it lacked; None where none was required.

        A climb finds out by itself which signature is required.
        """
        if not observation.guidance or observation.individual is self._awaited:
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
        """Test whether the gain is lost without each change; return whether any is a key."""
        refusal = answer_of(ascent.first.observation.exchanges[-1])
        if not (yield from self._enters(ascent)):
            return False
        if refusal is None:  # an anonymous caller makes it crash
            return self._climber in self._owners and (yield from self._comes_in(ascent))
        changed = {key for key in ascent.last.changed if key[0] in KEY_LOCATIONS}
        call = ascent.last.individual.calls[-1]
        if ascent.last.stored:  # the stored hash was computed from what was sent
            changed |= {given.key for given in call.inputs if given.location in KEY_LOCATIONS}
        needed, refusals = [], [refusal]
        for key, individual in with_spoilt_keys(ascent, changed):
            observation = yield individual
            # A word that crashes the code behind the check has passed the check.
            if lost(ascent, observation) and observation.exchanges[-1].crash is None:
                needed.append(key)
        keys = {given.key: given.gene for given in call.inputs if given.key in needed}
        if not keys:
            return (yield from self._comes_in_without_keys(ascent, rng))
        if (yield from self._opens_others(ascent, refusal, keys, rng)):
            missing = yield without_keys(ascent, needed)
            if lost(ascent, missing):
                answer = answer_of(missing.exchanges[-1])
                refusals += [answer] if answer is not None else []
            for one in dict.fromkeys(refusals):
                if one[0] not in BEFORE_THE_CALLER:
                    self._experience.note_refusal(one)
            signatures = {key for key, _place in ascent.signed_at}
            if signatures:  # each signature renews the time
                signatures |= {key for key, gene in keys.items() if form_of(str(gene.value()))}
            return self._hold(keys, signatures, ascent)
        return False

    def _comes_in_without_keys(
        self, ascent: Ascent, rng: Random
    ) -> Generator[Individual, Observation, bool]:
        """Make a user of a caller who needs more than one key, if this is proven."""
        if ascent.last.stored and (yield from self._takes_any_text(ascent)):
            return False
        proven = self._was_turned_down(ascent) or (yield from self._changes_others(ascent, rng))
        return proven and (yield from self._comes_in(ascent))

    def _takes_any_text(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Say whether a stored value makes every request succeed.

        A hash accepts only its own text. A list of open pages ignores all texts.
        """
        individual = ascent.last.individual
        texts = [
            given.key
            for given in individual.calls[-1].inputs
            if given.location is not Location.PATH or is_open(given.gene)
        ]
        for changed in with_other_characters(individual, texts):
            observation = yield changed
            if lost(ascent, observation):
                return False
        return True

    def _comes_in(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Make a user of the caller at the end of a climb; say whether it is a new one.

        This user sends the log-in once more, so that its response is learnt.
        """
        known = len(self._callers)
        if not self._logs_in(ascent):
            return False
        for name in islice(list(self._callers), known, known + 1):
            yield ascent.last.individual.sent_by(name)
        return True

    def _logs_in(self, ascent: Ascent) -> bool:
        """Make a user of a caller whom the climb has logged in; say whether there is one.

        A log-in by cookies works for all later calls. Where the response holds the token, tests go
        on sending the log-in, as the user whose row holds the values.
        """
        last = ascent.last
        before = self._caller_of(self._climber, last)
        way = self._way_after(ascent, before.way)
        changed = last.stored or before.account != self._caller_of(self._climber).account
        if way == before.way and not changed and self._climber not in self._owners:
            return False
        caller = replace(before, way=way, name=before.name or name_sent(last))
        is_new = self._introduced(caller)
        if is_new and way != before.way:
            self._returning.append(caller)
        return is_new

    def _way_after(self, ascent: Ascent, before: tuple[Call, ...]) -> tuple[Call, ...]:
        """Return the calls that log a caller in, including the climbed one if it sets cookies."""
        first, last = ascent.first.observation.exchanges[-1], ascent.last.observation.exchanges[-1]
        call = ascent.last.individual.calls[-1]
        sets_cookies = last.response is not None and last.response.header("Set-Cookie")
        failed = self._experience.outcomes.is_refused(first) or first.status >= FIRST_REFUSAL
        is_deed = failed or not is_safe(call.endpoint)
        calls = ascent.last.individual.calls
        if not sets_cookies or not is_deed or not all(map(reads_forms_alone, calls)):
            return before
        return (*before, *(replace(each, user=None) for each in calls))

    def _enters(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Return whether a climb succeeded; an owner must gain something by the account."""
        if not self._is_let_in(ascent):
            return False
        if self._climber not in self._owners:
            return True
        anonymous = yield ascent.last.individual.sent_by(None)
        return not gained(ascent) or bool(lost(ascent, anonymous))

    def _is_let_in(self, ascent: Ascent) -> bool:
        """Say whether the last response is no refusal."""
        first, last = ascent.first.observation.exchanges[-1], ascent.last.observation.exchanges[-1]
        if self._climber in self._owners and not self._is_entrance(first, last):
            return False
        changed = answer_of(first) != answer_of(last)
        return changed and not self._experience.outcomes.is_refused(last)

    def _is_entrance(self, first: Exchange, last: Exchange) -> bool:
        """Say whether an owner succeeds, or gets cookies, where the anonymous caller failed."""
        if turns_down(last) or _leads_elsewhere(last):
            return False
        refused = self._experience.outcomes.is_refused(first) or _is_sent_on(first)
        if turns_down(first) or (refused and not _is_sent_on(last)):
            return True
        response = last.response
        return response is not None and response.header("Set-Cookie") is not None

    def _opens_others(
        self, ascent: Ascent, refusal: Answer, keys: Keys, rng: Random
    ) -> Generator[Individual, Observation, bool]:
        """Try keys at another place with this refusal; one place proves only that refusal's status.

        A filter of one endpoint looks like a key, but changes no response of the others.  Most
        filters are in the query: if no other endpoint gives this refusal, keys that are all in the
        query count only where the status is a refusal by definition.
        """
        endpoint, user = ascent.last.individual.calls[-1].endpoint, ascent.last.user
        others = [
            key for key in self._experience.outcomes.alike.sharing(refusal) if key != endpoint
        ]
        for key in others[:MOST_PROOFS]:
            call = with_keys(self._base(key, rng).calls[-1], keys)
            observation = yield Individual((coloured(call, keys),)).sent_by(user)
            if answer_of(observation.exchanges[-1]) != refusal:
                return True
        if others or refusal[0] < FIRST_REFUSAL:
            return False
        is_filter = all(location is Location.QUERY for location, _name in keys)
        return refusal[0] in REFUSING or not is_filter

    def _hold(self, keys: Keys, signatures: Collection[InputKey], ascent: Ascent) -> bool:
        """Let calls hold credentials, and visit again the endpoints that take them.

        Say whether they belong to a new user. A signature is valid for one request only.
        """
        inputs = tuple(Input(*key, gene) for key, gene in keys.items() if key not in signatures)
        before = self._caller_of(self._climber, ascent.last)
        way = before.way if signatures else self._way_after(ascent, before.way)
        name = before.name if way == before.way else before.name or name_sent(ascent.last)
        caller = replace(before, inputs=(*before.inputs, *inputs), way=way, name=name)
        is_new = bool(inputs) and self._introduced(caller)
        for identity, gene in keys.items():
            if self._maker.keys.add(identity, gene, is_signature=identity in signatures):
                self._climbed.clear()
            for key in self._model.keys:
                if self._model.parameter(key, identity) is not None:
                    self._model.note_change(key)
        return is_new

    def _signing(self, individual: Individual, observation: Observation) -> Individual:
        """Return a test with each signature renewed, where the way to sign is known."""
        last, request = len(individual.calls) - 1, observation.exchanges[-1].request
        for given in individual.calls[last].inputs:
            gene = given.gene
            if type(gene) is TextGene and self._signs(str(gene.value())):
                way = self._way_of(request, given.name)
                if way is not None:
                    signing = replace(gene, current=signed_text(gene.current, way))
                    call = individual.calls[last].with_input(replace(given, gene=signing))
                    individual = individual.with_call(last, call)
        return individual

    def _up_to_date(self, account: Account) -> Account:
        """Return an account with everything now known about its values."""
        known = dict(account.values)
        for other in self._accounts():
            if other.maker == account.maker:
                news = [pair for pair in other.values if pair[0] not in known]
                return replace(account, values=(*account.values, *news))
        return account

    def _introduced(self, caller: Caller) -> bool:
        """Make a user of a caller, and climb refusing endpoints again; say whether it is new."""
        if caller.account is not None:
            caller = replace(caller, account=self._up_to_date(caller.account))
        is_known = any(caller.is_like(known) for known in self._callers.values())
        if is_known or len(self._callers) >= MOST_CALLERS:
            return False
        name = self._introduce(caller)
        if name is None:
            return False
        self._callers[name] = caller
        self._climbed.clear()
        if caller.account is not None:
            for account in self._accounts():
                is_alike = dict(account.values).keys() == dict(caller.account.values).keys()
                if is_alike and account.maker == caller.account.maker:
                    self._introduced(replace(caller, account=account, name=""))
        return True


def _is_sent_on(exchange: Exchange) -> bool:
    """Say whether a response is a redirect."""
    return FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL


def _sets_cookies(exchange: Exchange) -> bool:
    """Say whether a response that is no refusal sets cookies."""
    response = exchange.response
    is_set = response is not None and response.header("Set-Cookie") is not None
    return is_set and exchange.status < FIRST_REFUSAL and is_safe(exchange.request.endpoint)


def _leads_elsewhere(exchange: Exchange) -> bool:
    """Say whether a response redirects to another server, as with a log-in provider."""
    location = exchange.response.header("Location") if exchange.response is not None else None
    host = urlsplit(location or "").hostname
    return host is not None and host != (exchange.request.host or "localhost")
