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
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from itertools import chain
from itertools import islice

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import COLUMN
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.agenda import Agenda
from pytest_evosearch.problem.http.doors.ascents import Ascent
from pytest_evosearch.problem.http.doors.ascents import gained
from pytest_evosearch.problem.http.doors.callers import Introduce
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.climbing import Climb
from pytest_evosearch.problem.http.doors.clues import opens
from pytest_evosearch.problem.http.doors.colouring import coloured_last
from pytest_evosearch.problem.http.doors.colouring import coloured_test
from pytest_evosearch.problem.http.doors.entered_views import EnteredViews
from pytest_evosearch.problem.http.doors.issued_tokens import IssuedTokens
from pytest_evosearch.problem.http.doors.known_callers import KnownCallers
from pytest_evosearch.problem.http.doors.log_ins import after_its_page
from pytest_evosearch.problem.http.doors.log_ins import answers_alike
from pytest_evosearch.problem.http.doors.log_ins import are_served
from pytest_evosearch.problem.http.doors.log_ins import has_status_of
from pytest_evosearch.problem.http.doors.log_ins import name_sent
from pytest_evosearch.problem.http.doors.proofs import Keys
from pytest_evosearch.problem.http.doors.proofs import Proof
from pytest_evosearch.problem.http.doors.signatures import Signatures
from pytest_evosearch.problem.http.doors.suggestions import Rows
from pytest_evosearch.problem.http.doors.ways_in import WaysIn
from pytest_evosearch.problem.http.doors.whole_calls import beginning
from pytest_evosearch.problem.http.doors.whole_calls import completion
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.filling.likely_values import likely_values
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.experience import Experience
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

MOST_OBSTACLES = 3
"""Most places of comparisons in a report that no caller was let in."""

MOST_TABLES = 3
"""Most statements of one log-in that found no one, for which a row is added."""

MOST_PERSONS = 12
"""Most people whose log-in is climbed at one endpoint."""


class Doors:
    """Proposes looks at endpoints that refuse, and gives found credentials to makers of calls."""

    def __init__(
        self,
        model: EndpointModel,
        maker: CallMaker,
        experience: Experience,
        pool: ValuePool,
        catalog: ProducerCatalog,
        ways_in: WaysIn,
        introduce: Introduce,
        attempt: Try,
        tokens: ForgeryTokens,
        addresses: AddressBook,
        users_are_known: bool,
    ) -> None:
        self._model = model
        self._maker = maker
        self._experience = experience
        self._ways_in = ways_in
        self._rows = Rows(lambda: dict.fromkeys((*pool.stored_texts(), *ways_in.kept())), attempt)
        self._likely = partial(likely_values, pool)
        self._callers = KnownCallers(ways_in, introduce, attempt, self._climb_again)
        self._agenda = Agenda(
            model, experience, self._callers, users_are_known, addresses.endpoint_at
        )
        self._signatures = Signatures(model, ways_in)
        self._tokens = tokens
        self._issued = IssuedTokens(model, experience, catalog)
        self._views = EnteredViews(model)
        self._obstacles: dict[str, str] = {}
        """Endpoint that was climbed -> what it compared last."""
        self._in_vain: dict[str, None] = {}
        """Statements of the present climb that looked for a text in a column without any."""
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
            bool(individual.calls)
            and self._signatures.are_checked_by(individual.calls[-1].endpoint)
        )

    def learn(self, observation: Observation) -> None:
        """Learn from a look, and from callers who were refused."""
        for exchange in observation.exchanges:
            self._agenda.note(exchange)
        if observation.individual is self._awaited:
            resolved = map(self._resolved, observation.guidance)
            guidance = tuple(
                each for one in resolved for each in (one, *self._signatures.resigned(one))
            )
            self._shown, self._awaited = replace(observation, guidance=guidance), None

    def _resolved(self, comparison: Comparison) -> Comparison:
        """Return a comparison with the values of a column instead of its name."""
        if comparison.relation != COLUMN or not isinstance(comparison.wanted, tuple):
            return comparison
        values = self._ways_in.values_under(*comparison.wanted)
        account = self._callers.of(self._climber).account
        made = account.texts_under(comparison.wanted[0]) if account is not None else ()
        if not (made or values):
            self._in_vain[comparison.wanted[1]] = None
        return comparison._replace(relation="in", wanted=(*made, *values))

    def _next_climb(
        self, rng: Random, pressing: bool
    ) -> Generator[Individual, Observation, None] | None:
        attempt = self._agenda.next_attempt(pressing)
        if attempt is None:
            return None
        if attempt.is_failing:
            return self._climb_failing(attempt.key, rng)
        if attempt.is_log_in:
            return self._climb_log_in(attempt.key, attempt.after, rng)
        if attempt.after:
            return self._climb_after(attempt.after, attempt.key, rng)
        return self._climb(attempt.key, attempt.user, rng)

    def _climb_again(self) -> None:
        """Climb all endpoints again that refuse, now that another caller is known."""
        self._agenda.climb_again()

    def _proof(self, rng: Random) -> Proof:
        """Return what tests the gain of the present climber."""
        base = partial(self._base, rng=rng)
        return Proof(
            self._model, self._maker, self._experience, self._callers, self._agenda,
            self._rows.attempt, base, self._views.stopped_before, self._climber,
        )  # fmt: skip

    def _climb_log_in(
        self, key: str, before: str, rng: Random
    ) -> Generator[Individual, Observation, None]:
        """Climb a log-in; where a table held no one at all, climb it again for an account.

        The application may create the account itself; else it is a row.  The statement of the
        log-in knows the table.
        """
        self._in_vain.clear()
        yield from self._climb_log_in_as(None, key, before, rng)
        tables = list(islice(self._in_vain, MOST_TABLES))
        if self._callers.admitted or not tables:
            return
        for person in chain(self._callers.first_owners(), self._callers.persons(tables)):
            yield from self._climb_log_in_as(person, key, before, rng)
            if self._callers.admitted:
                return

    def _climb_log_in_as(
        self, climber: str | None, key: str, before: str, rng: Random
    ) -> Generator[Individual, Observation, None]:
        """Climb an endpoint beyond its response to a wrong log-in, for one user after the other.

        The endpoint `before`, if there is one, is called first: it may take the name.

        A user is who is served then where the anonymous caller is not.  Of those who are served
        alike one is taken, and another one once: enough to try what others own.  If another
        response is no log-in, it tells what else is wrong: the name was right, the password is not.
        """
        self._climber = climber
        base = self._log_in_after(key, before, rng)
        shown = yield coloured_test(base)
        if len(shown.exchanges) < len(base.calls):
            return
        wrong = shown.exchanges[-1]
        base = Individual((*shown.individual.calls[:-1], base.calls[-1]))
        sent: frozenset[str] = frozenset()
        goal: frozenset[TargetId] = frozenset()
        proof = self._proof(rng)
        closed = proof.closed_pages()
        kinds: Counter[tuple[bool, ...]] = Counter()
        for _turn in range(MOST_PERSONS):
            for is_wrong in (partial(answers_alike, wrong), partial(has_status_of, wrong)):
                signatures = self._maker.keys.signatures
                ascent = yield from self._ascent(base, rng, signatures, sent, goal, is_wrong)
                answers = [] if ascent is None else (yield from proof.answers(closed, ascent))
                is_served = are_served(answers)
                if ascent is None or is_served or not has_status_of(wrong, ascent.answer):
                    break
            if ascent is None or not (is_served or kinds):
                return
            kind = tuple(0 < known.status < FIRST_REDIRECT for _anonymous, known in answers)
            if is_served and (kind not in kinds or max(kinds.values()) == 1):
                yield from proof.logs_in(ascent)
            if climber is not None:
                return  # there is one row
            kinds[kind] += is_served
            goal = goal or gained(ascent)
            sent |= {name_sent(ascent.last)}
            sent |= self._callers.texts

    def _log_in_after(self, key: str, before: str, rng: Random) -> Individual:
        """Return the test of a log-in with its page, or with the call `before` it."""
        base = self._base(key, rng).sent_by(None)
        base = after_its_page(base, self._tokens, self._maker, rng)
        begin = beginning(self._model, completion(self._model, self._maker, rng))
        base = base.with_call(len(base.calls) - 1, begin(base.calls[-1]))
        if not before:
            return base
        first = begin(self._base(before, rng).sent_by(None).calls[-1])
        second = replace(base.calls[-1], label=first.label + 1)
        return Individual((first, second))

    def _climb(
        self, key: str, user: str | None, rng: Random
    ) -> Generator[Individual, Observation, None]:
        """Climb an endpoint as a user, and again for other callers who are let in there."""
        self._climber = user
        base = self._base(key, rng).sent_by(user)
        is_single = len(base.calls) == 1 and self._may_hold_token(user)
        if is_single and (yield from self._issued.open_to(base, user, rng)):
            return
        base = after_its_page(base, self._tokens, self._maker, rng).sent_by(user)
        proof = self._proof(rng)
        known = self._maker.keys.all if user is None else self._maker.keys.signatures
        ascent = yield from self._ascent(base, rng, known)
        while ascent is not None and (yield from proof.finds_keys(ascent)):
            if self._callers.are_enough or user is not None:
                return
            sent = self._callers.texts
            first, goal = ascent.first.individual, gained(ascent)
            ascent = yield from self._ascent(first, rng, self._maker.keys.signatures, sent, goal)
            if ascent is not None and not goal & ascent.last.observation.reached:
                return

    def _climb_failing(self, key: str, rng: Random) -> Generator[Individual, Observation, None]:
        """Climb from the call that got furthest at an endpoint that has only failed."""
        furthest = self._experience.attempts[key]
        climb = Climb(
            Individual(furthest.calls), self._model, rng, {},
            lambda exchange: not 0 < exchange.status < FIRST_REFUSAL,
            completion(self._model, self._maker, rng), likely=self._likely,
        )  # fmt: skip
        yield from climb.looks_at_failing()
        if key not in self._experience.recipes:
            self._experience.seek_state(key)

    def _may_hold_token(self, user: str | None) -> bool:
        """Say whether a caller may send a token of an earlier response.

        A user whose row the search changed may have logged in with that row, and received one.
        """
        return user is None or bool(
            self._callers.of(user).stored and not self._callers.of(user).way
        )

    def _climb_after(
        self, producer: str, key: str, rng: Random
    ) -> Generator[Individual, Observation, None]:
        """Climb an endpoint after another one that changes its behaviour.

        The other call sets a cookie or changes state: a nonce, a step of a set-up.
        """
        self._climber = None
        recipe = self._experience.recipes.draw(producer, None, rng)
        base = Individual((self._base(key, rng).calls[-1],))
        before = self._agenda.ways.get(producer) or (Individual(recipe.calls) if recipe else None)
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
        proof = self._proof(rng)
        if ascent is not None and proof.gets_through(ascent):
            self._agenda.got_through(key, ascent.last.individual)
            yield from proof.finds_keys(ascent)

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
        complete = completion(self._model, self._maker, rng)
        owner = self._climber if self._climber in self._callers.owners else None
        caller = self._callers.of(self._climber)
        rows = replace(self._rows, caller=caller, owner=owner, renewed=self._callers.up_to_date)
        climb = Climb(
            base, self._model, rng, known, refused, complete, avoided, goal, rows,
            self._signatures.renewed, beginning(self._model, complete), self._views.stopped_before,
        )  # fmt: skip
        ascent = yield from climb.looks()
        self._obstacles[base.calls[-1].endpoint] = climb.obstacle
        return None if ascent is None else self._signatures.noted(ascent)

    def shut_out(self) -> str:
        """Say that no caller was let in, and what was compared; empty where one was."""
        experience = self._experience
        keys = self._model.keys
        closed = [key for key in keys if self._agenda.turns_away(key)]
        if self._callers.admitted or experience.admission.passports or 2 * len(closed) < len(keys):
            return ""
        if not closed:
            return ""
        places = dict.fromkeys(one for key in closed if (one := self._obstacles.get(key)))
        named = f": {'; '.join(islice(places, MOST_OBSTACLES))}" if places else ""
        return f"no one was let in ({len(closed)} of {len(keys)} endpoints refuse){named}"

    def corrected(self, observation: Observation, rng: Random) -> Individual | None:
        """Return a test with the signature that it lacked; None where none was required.

        A climb finds out by itself which signature is required.
        """
        if observation.individual is self._awaited:
            return None
        return self._signatures.corrected(observation, rng)

    def _base(self, key: str, rng: Random) -> Individual:
        recipe = self._experience.way_to(key, None, rng)
        if recipe is not None:
            return Individual(recipe.calls).sent_by(None)
        return Individual((self._maker.make(key, rng, 1, None, Fullness.FULL),))
