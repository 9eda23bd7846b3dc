"""Proves by executions which part of a request decides about its answer.

    model      a call of the endpoint with another answer: an accepted one where the test is refused
    repair     one part of the request under test is put back to the model's, all else stays
    cause      a part whose repair alone ends the refusal or the crash, or changes a success; of a
               crash for a key, the missing member with which the code gets further
    next fault where no call is accepted, a call that fails in another way is the model: with its
               part the code gets further, and with the part under test it fails like the test

What differs may be an input, a field of a JSON object, a whole body, a stored row, the user, or the
calls before (`harvest.proving.repairs`).  Each test takes at most `MOST_REPAIRS` executions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import chain
from itertools import islice
from operator import itemgetter

from pytest_evosearch.core.http_words import ABOUT_CALLER_OR_ADDRESS
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import body_of
from pytest_evosearch.harvest.proving.compared_answers import differs
from pytest_evosearch.harvest.proving.compared_answers import finds_nothing
from pytest_evosearch.harvest.proving.compared_answers import finds_what_another_lacks
from pytest_evosearch.harvest.proving.compared_answers import goes_further
from pytest_evosearch.harvest.proving.compared_answers import is_alike
from pytest_evosearch.harvest.proving.compared_answers import is_answered
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import lines_of
from pytest_evosearch.harvest.proving.compared_answers import raised_by
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import asking_for_what_is_there
from pytest_evosearch.harvest.proving.repairs import beside_what_is_there
from pytest_evosearch.harvest.proving.repairs import calls_before
from pytest_evosearch.harvest.proving.repairs import differing_parts
from pytest_evosearch.harvest.proving.repairs import repaired
from pytest_evosearch.harvest.proving.repairs import whole_body
from pytest_evosearch.harvest.proving.repairs import with_member
from pytest_evosearch.harvest.proving.repairs import with_sources_alone
from pytest_evosearch.minimize.shortening import sent
from pytest_evosearch.minimize.shortening import sent_inputs
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import Cause

MOST_REPAIRS = 16
"""Most executions for one test: what no repair of these shows is not told."""

MOST_MODELS = 3
"""Most models that one test is compared with, the nearest first."""

NOT_FOUND = 404

MOST_EFFECTIVE = 4
"""Most variants of a test that are tried to find an effect."""

MOST_CALLS = 2
"""Most calls of a search among what there is."""

MOST_PARTS = 6
"""Most parts in which a failing call differs from an accepted one that is tried with each."""

MOST_CAUSES = 2
"""Most parts that are told together: of more, none is what the test is about."""

ANY_TEXT = "a"
"""Value of a member that a crash asks for: whatever it is, the code gets further with it."""

_KEY = re.compile("'([^']+)'")
"""Message of an exception about a missing key: the key alone."""

Execute = Callable[[Individual], FullEvaluation[Individual]]


@dataclass
class Decisive:
    """Finds the causes of answers with the calls that it has noted as models."""

    execute: Execute
    is_over: Callable[[], bool] = lambda: False
    _models: dict[str, dict[str, Model]] = field(default_factory=dict)
    """Endpoint -> content and status of a call -> that call in the shortest test."""
    _welcomed: set[tuple[str, str | None]] = field(default_factory=set)
    """Endpoints and users whose writes, sent alone, were answered with a page."""
    _proven: dict[str, tuple[Cause, ...]] = field(default_factory=dict)
    """Content of a test -> its causes, which stay true."""
    _made: dict[str, list[Model]] = field(default_factory=dict)
    """Endpoint -> a call of it that asks for what is there, where one was found."""

    def note(self, individual: Individual, exchanges: Sequence[Exchange]) -> None:
        """Remember the calls of an executed test that were answered, as models."""
        for place, exchange in enumerate(exchanges):
            if not is_answered(exchange):
                continue
            model = Model(individual.calls[: place + 1], exchange)
            if not place and not reads(exchange) and exchange.status < FIRST_REDIRECT:
                self._welcomed.add((exchange.request.endpoint, model.call.user))
            known = self._models.setdefault(exchange.request.endpoint, {})
            key = repr((exchange.status, model.call.user, sent_inputs(model.call)))
            if key not in known or len(known[key].calls) > len(model.calls):
                known[key] = model

    def note_all(self, tests: Iterable[FullEvaluation[Individual]]) -> None:
        """Remember the calls of executed tests."""
        for one in tests:
            self.note(one.evaluation.individual, exchanges_of(one.evaluation))

    def causes(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        """Return the parts of a test's last call that decide about its answer, mostly one."""
        key, act = sent(individual), self.as_meant(act)
        found = self._proven.get(key) or self._found_causes(individual, act)
        self._proven[key] = found
        return found

    def _found_causes(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        missing = self._missing_member(individual, act)
        if missing is not None:
            return (missing,)
        repairs = _Repairs(self, individual, act)
        for model in self._nearest(individual, act):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            if not is_failing(act):  # what a read does not send is nothing special
                parts = [one for one in parts if one.value is not NOT_SENT or not reads(act)]
            # a value that an accepted call sends is usual, and decides only with what is stored
            usual = [one for one in parts if self._accepts(act, one)]
            unusual = [one for one in parts if one not in usual]
            found = [one for one in unusual if repairs.ends(one, model)]
            found = found or [one for one in usual if repairs.ends(one, model)]
            if not found:
                found = [one for one in _wider(act, parts, model) if repairs.ends(one, model)]
            if not found and act.status in ABOUT_CALLER_OR_ADDRESS and len(model.calls) > 1:
                whole = replace(model, is_whole=True)
                asked = differing_parts(individual.calls[-1].user, act.request, whole)
                is_named = act.status == NOT_FOUND  # by a field, if not by the address
                asked = [one for one in asked if _is_address(one) or (is_named and _is_sent(one))]
                found = [replace(one, usual=LINKED) for one in asked if repairs.ends(one, whole)]
            if found:
                return tuple(found) if len(found) <= MOST_CAUSES else ()
        return self._causes_before_others(individual, act, repairs)

    def _causes_before_others(
        self, individual: Individual, act: Exchange, repairs: _Repairs
    ) -> tuple[Cause, ...]:
        """Return the part of a failing call that hides how another failing call fails."""
        for model in self._failing_otherwise(individual, act):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            sent_by_model = [one for one in parts if one.usual is not NOT_SENT]
            found = [one for one in sent_by_model if repairs.leads_further(one, model)]
            if len(found) == 1:
                return (replace(found[0], hides_another=True),)
        return ()

    def _failing_otherwise(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return the nearest calls that are refused, too, but with another answer."""
        if not is_failing(act):
            return []
        known = self._models.get(act.request.endpoint, {}).values()
        others = [
            one
            for one in known
            if is_failing(one.exchange) and body_of(one.exchange) != body_of(act)
        ]
        return self._sorted(others, individual, act)[:MOST_MODELS]

    def _missing_member(self, individual: Individual, act: Exchange) -> Cause | None:
        """Return the member that a crash asks for, where the code goes further with it.

        It may crash for the next one then: each of these crashes has a missing member of its own.
        """
        crash = act.crash
        asked = _KEY.fullmatch(crash.message) if crash is not None else None
        attempt = with_member(individual, asked[1], ANY_TEXT) if asked is not None else None
        if crash is None or asked is None or attempt is None or self.is_over():
            return None
        exchanges = exchanges_of(self.execute(attempt).evaluation)
        found = exchanges[-1]
        if len(exchanges) < len(attempt) or not (found.sent and found.routed):
            return None
        is_same = found.crash is not None and raised_by(found.crash) == raised_by(crash)
        return None if is_same else Cause(Location.JSON.value, asked[1], NOT_SENT, ANY_TEXT)

    def ordinary(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return a refused or crashing test with good values in all parts that do not matter.

        A value is put back where no accepted call has it, and the answer stays as it was.  Where no
        part alone decides, an accepted call with one part of this one may show the same.
        """
        individual = evaluation.evaluation.individual
        act = self.as_meant(exchanges_of(evaluation.evaluation)[-1])
        if not is_failing(act):
            return self._furnished(evaluation, duty)
        for model in self._nearest(individual, act)[:1]:
            for part in differing_parts(individual.calls[-1].user, act.request, model):
                if NOT_SENT in (part.value, part.usual) or self._accepts(act, part):
                    continue
                attempt = repaired(evaluation.evaluation.individual, part, model)
                if attempt is None or len(attempt) > len(individual) or self.is_over():
                    continue
                found = self.execute(attempt)
                if is_alike(exchanges_of(found.evaluation), act, duty, found):
                    evaluation = found
        return self._with_one_cause(evaluation, duty)

    def _furnished(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return a search that finds nothing among what there is; also a broken one finds nothing.

        What is there is what another call of the same endpoint has found.
        """
        individual = evaluation.evaluation.individual
        act = exchanges_of(evaluation.evaluation)[-1]
        is_alone = len(individual) == 1 and not act.request.rows
        if not (is_alone and act.request.query and reads(act) and finds_nothing(act)):
            return evaluation
        models = self._models.get(act.request.endpoint, {}).values()
        finding = [one for one in models if finds_what_another_lacks(act, one.exchange)]
        for model in self._sorted(finding, individual, act)[:MOST_MODELS]:
            attempt = beside_what_is_there(individual, model)
            if len(attempt) > MOST_CALLS or self.is_over():
                continue
            found = self.execute(attempt)
            exchanges = exchanges_of(found.evaluation)
            is_whole = len(exchanges) == len(attempt) and duty <= found.covered_by_call[-1]
            if is_whole and exchanges[-1].status == act.status:
                return found
        return evaluation

    def _with_one_cause(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return an accepted call with one part of a failing one that fails alike, if any does.

        It is only looked for where no part of the failing call decides alone: several are wrong.
        """
        individual = evaluation.evaluation.individual
        act = exchanges_of(evaluation.evaluation)[-1]
        if self.causes(individual, act):
            return evaluation
        for model in self._nearest(individual, act):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            for attempt in _with_one_part(individual, act, parts, model):
                if self.is_over():
                    return evaluation
                found = self.execute(attempt)
                exchanges = exchanges_of(found.evaluation)
                is_whole = len(exchanges) == len(attempt)
                if is_whole and is_alike(exchanges, act, duty, found):
                    return found
        return evaluation

    def effective(self, individual: Individual, users: Iterable[str]) -> Iterator[Individual]:
        """Yield tests whose last call may change something.

        It is sent by a user who is logged in, or asks for what an accepted call has made.
        """
        last = individual.calls[-1]
        names = users if last.user is None else ()
        made = (
            attempt
            for maker in self._makers(collection_of(last.endpoint.partition(" ")[2]))
            for attempt in asking_for_what_is_there(individual, maker)
        )
        yield from islice(chain(map(individual.sent_by, names), made), MOST_EFFECTIVE)

    def _accepts(self, act: Exchange, part: Cause) -> bool:
        """Say whether any accepted call sends this value."""
        models = self._models.get(act.request.endpoint, {}).values()
        served = [one.exchange for one in models if not is_failing(one.exchange)]
        slot = (part.location, part.name)
        if part.value is NOT_SENT:
            return False
        return any(repr(slots_of(one.request).get(slot)) == repr(part.value) for one in served)

    def _nearest(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return the models with another answer that differ in the fewest parts."""
        known = [
            replace(one, exchange=self.as_meant(one.exchange))
            for one in self._models.get(act.request.endpoint, {}).values()
        ]
        models = [one for one in known if differs(act, one.exchange)]
        if not models:
            models = self._made_models(individual, act)
        return self._sorted(models, individual, act)[:MOST_MODELS]

    def _sorted(
        self, models: Iterable[Model], individual: Individual, act: Exchange
    ) -> list[Model]:
        user = individual.calls[-1].user

        def order(model: Model) -> tuple[int, int, int]:
            parts = differing_parts(user, act.request, model)
            return len(parts), len(model.calls), len(model.call.inputs)

        return sorted(models, key=order)

    def as_meant(self, exchange: Exchange) -> Exchange:
        """Return a call; a redirect to the log-in refuses no one who gets a page there, too.

        After a registration, people log in.
        """
        is_welcome = (exchange.request.endpoint, exchange.user) in self._welcomed
        is_refused = FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL and turns_away(exchange)
        return replace(exchange, refused=False) if is_welcome and is_refused else exchange

    def _made_models(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return a new model where none was accepted: the call asks for what is there."""
        endpoint = act.request.endpoint
        if act.status == NOT_FOUND and endpoint not in self._made:
            self._made[endpoint] = []
            makers = self._makers(collection_of(act.request.template))
            attempts = (
                attempt
                for maker in (None, *makers)
                for attempt in asking_for_what_is_there(individual, maker)
            )
            for attempt in islice(attempts, MOST_REPAIRS):
                if self.is_over():
                    break
                exchanges = exchanges_of(self.execute(attempt).evaluation)
                found = exchanges[-1]
                if len(exchanges) < len(attempt) or not is_answered(found):
                    continue
                if differs(act, found) or goes_further(act, found):
                    self._made[endpoint] = [Model(attempt.calls, found, is_whole=True)]
                    break
        return self._made.get(endpoint, [])

    def _makers(self, subject: str) -> list[Model]:
        """Return the shortest accepted calls that make or store something, a collection's first."""
        found: list[tuple[bool, int, Model]] = []
        for key, known in self._models.items():
            method, _, template = key.partition(" ")
            accepted = [one for one in known.values() if one.exchange.status < FIRST_REFUSAL]
            makes = [one for one in accepted if method == "POST" or one.exchange.request.rows]
            if makes:
                best = min(makes, key=lambda one: len(one.calls))
                found.append((collection_of(template) != subject, len(best.calls), best))
        return [model for *_, model in sorted(found, key=itemgetter(0, 1))]


@dataclass
class _Repairs:
    """Repairs of one test, each executed once."""

    decisive: Decisive
    individual: Individual
    act: Exchange
    _known: dict[str, FullEvaluation[Individual]] = field(default_factory=dict)

    def ends(self, part: Cause, model: Model) -> bool:
        """Say whether the repair of one part gives the test an answer like the model's."""
        repair = self._executed(repaired(self.individual, part, model))
        if repair is None:
            return False
        found = self.decisive.as_meant(exchanges_of(repair.evaluation)[-1])
        if not is_answered(found):
            return False
        is_door = part.location == USER or _is_address(part)
        return (is_door and goes_further(self.act, found)) or differs(self.act, found)

    def leads_further(self, part: Cause, model: Model) -> bool:
        """Say whether the test gets further with one part of a call that fails in another way.

        It runs more lines then; and that call with the part of the test fails like the test, so
        this part is what is looked at first.
        """
        repair = self._executed(repaired(self.individual, part, model))
        if repair is None or self._is_alike(repair):
            return False
        plain = self._executed(self.individual)
        if plain is None or len(lines_of(repair)) <= len(lines_of(plain)):
            return False
        spoiled = self._executed(_with_part_of(model, part, self.individual, self.act))
        return spoiled is not None and self._is_alike(spoiled)

    def _is_alike(self, found: FullEvaluation[Individual]) -> bool:
        return is_alike(exchanges_of(found.evaluation), self.act, frozenset(), found)

    def _executed(self, attempt: Individual | None) -> FullEvaluation[Individual] | None:
        """Return what came of a test, None where it did not reach its last call."""
        if attempt is None:
            return None
        key = sent(attempt)
        if key not in self._known:
            if len(self._known) >= MOST_REPAIRS or self.decisive.is_over():
                return None
            self._known[key] = self.decisive.execute(attempt)
        found = self._known[key]
        exchanges = exchanges_of(found.evaluation)
        is_whole = len(exchanges) == len(attempt) and exchanges[-1].sent and exchanges[-1].routed
        return found if is_whole else None


def _with_one_part(
    individual: Individual, act: Exchange, parts: Sequence[Cause], model: Model
) -> Iterator[Individual]:
    """Yield the accepted call with one part of a failing call, with as few calls as it needs."""
    if not 1 < len(parts) <= MOST_PARTS:
        return
    for part in parts:
        whole = _with_part_of(model, part, individual, act)
        if whole is not None:
            yield from dict.fromkeys((with_sources_alone(whole), whole))


def _with_part_of(
    model: Model, part: Cause, individual: Individual, act: Exchange
) -> Individual | None:
    """Return the model with one part as in a failing test."""
    failing = replace(part, value=part.usual, usual=part.value)
    return repaired(Individual(model.calls), failing, Model(individual.calls, act))


def _wider(act: Exchange, parts: Sequence[Cause], model: Model) -> list[Cause]:
    """Return what may decide where no single part does: an empty body, all rows, earlier calls."""
    fields = [one for one in parts if one.location in ("json", "form", "file")]
    is_empty = len(fields) > 1 and BODY.isdisjoint(slot[0] for slot in slots_of(act.request))
    found = [whole_body(act.request, model)] if is_empty else []
    rows = [one for one in parts if one.location == ROW and one.value is NOT_SENT]
    if len(rows) > 1:  # a row may need others that it refers to
        found.append(replace(rows[-1], name=ALL_ROWS))
    if is_failing(act) and len(model.calls) > 1:
        found.append(calls_before())
    return found


def _is_address(part: Cause) -> bool:
    return part.location == Location.PATH.value


def _is_sent(part: Cause) -> bool:
    return part.location in ("query", "form", "json") and part.value is not NOT_SENT
