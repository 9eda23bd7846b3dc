"""Proves by executions which part of a request decides about its answer.

    model      a call of the endpoint with another answer: an accepted one where the test is refused
    repair     one part of the request under test is put back to the model's, all else stays
    cause      a part whose repair alone ends the refusal or the crash, or changes a success; of a
               crash for a key, the missing member with which the code gets further

What differs may be an input, a field of a JSON object, a whole body, a stored row, the user, or the
calls before (`harvest.repairs`).  Each test takes at most `MOST_REPAIRS` executions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.repairs import Model
from pytest_evosearch.harvest.repairs import asking_for_what_is_there
from pytest_evosearch.harvest.repairs import calls_before
from pytest_evosearch.harvest.repairs import differing_parts
from pytest_evosearch.harvest.repairs import repaired
from pytest_evosearch.harvest.repairs import whole_body
from pytest_evosearch.harvest.repairs import with_member
from pytest_evosearch.harvest.repairs import with_sources_alone
from pytest_evosearch.minimize.shortening import sent
from pytest_evosearch.minimize.shortening import sent_inputs
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import Cause

MOST_REPAIRS = 16
"""Most executions for one test: what no repair of these shows is not told."""

MOST_MODELS = 3
"""Most models that one test is compared with, the nearest first."""

NOT_FOUND = 404

DOORS = (401, 403, NOT_FOUND)
"""Statuses for who asks, or for what."""

CONTENTS = (400, 409, 415, 422)
"""Statuses for what is sent."""

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
            if not _is_answered(exchange):
                continue
            model = Model(individual.calls[: place + 1], exchange)
            if not place and not _reads(exchange) and exchange.status < FIRST_REDIRECT:
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
            if not _is_failing(act):  # what a read does not send is nothing special
                parts = [one for one in parts if one.value is not NOT_SENT or not _reads(act)]
            # a value that an accepted call sends is usual, and decides only with what is stored
            usual = [one for one in parts if self._accepts(act, one)]
            unusual = [one for one in parts if one not in usual]
            found = [one for one in unusual if repairs.ends(one, model)]
            found = found or [one for one in usual if repairs.ends(one, model)]
            if not found:
                found = [one for one in _wider(act, parts, model) if repairs.ends(one, model)]
            if not found and act.status in DOORS and len(model.calls) > 1:
                whole = replace(model, is_whole=True)
                asked = differing_parts(individual.calls[-1].user, act.request, whole)
                is_named = act.status == NOT_FOUND  # by a field, if not by the address
                asked = [one for one in asked if _is_address(one) or (is_named and _is_sent(one))]
                found = [replace(one, usual=LINKED) for one in asked if repairs.ends(one, whole)]
            if found:
                return tuple(found) if len(found) <= MOST_CAUSES else ()
        return ()

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
        is_same = found.crash is not None and _raised(found.crash) == _raised(crash)
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
        if not _is_failing(act):
            return evaluation
        for model in self._nearest(individual, act)[:1]:
            for part in differing_parts(individual.calls[-1].user, act.request, model):
                if NOT_SENT in (part.value, part.usual) or self._accepts(act, part):
                    continue
                attempt = repaired(evaluation.evaluation.individual, part, model)
                if attempt is None or len(attempt) > len(individual) or self.is_over():
                    continue
                found = self.execute(attempt)
                if _is_alike(exchanges_of(found.evaluation), act, duty, found):
                    evaluation = found
        return self._with_one_cause(evaluation, duty)

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
                if is_whole and _is_alike(exchanges, act, duty, found):
                    return found
        return evaluation

    def _accepts(self, act: Exchange, part: Cause) -> bool:
        """Say whether any accepted call sends this value."""
        models = self._models.get(act.request.endpoint, {}).values()
        served = [one.exchange for one in models if not _is_failing(one.exchange)]
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
        if not models and act.status >= FIRST_FAILURE:
            models = [one for one in known if one.exchange.status < FIRST_FAILURE]
        user = individual.calls[-1].user

        def order(model: Model) -> tuple[int, int, int]:
            parts = differing_parts(user, act.request, model)
            return len(parts), len(model.calls), len(model.call.inputs)

        return sorted(models, key=order)[:MOST_MODELS]

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
                if len(exchanges) < len(attempt) or not _is_answered(found):
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
    _known: dict[str, bool] = field(default_factory=dict)

    def ends(self, part: Cause, model: Model) -> bool:
        """Say whether the repair of one part gives the test an answer like the model's."""
        attempt = repaired(self.individual, part, model)
        if attempt is None:
            return False
        key = sent(attempt)
        if key not in self._known:
            if len(self._known) >= MOST_REPAIRS or self.decisive.is_over():
                return False
            self._known[key] = self._is_another(attempt, part)
        return self._known[key]

    def _is_another(self, attempt: Individual, part: Cause) -> bool:
        exchanges = exchanges_of(self.decisive.execute(attempt).evaluation)
        found = self.decisive.as_meant(exchanges[-1])
        if len(exchanges) < len(attempt) or not _is_answered(found):
            return False
        if self.act.crash is None or differs(self.act, found):
            is_door = part.location == USER or _is_address(part)
            return (is_door and goes_further(self.act, found)) or differs(self.act, found)
        return found.status < FIRST_FAILURE


def _raised(crash: Crash) -> tuple[str, str, str]:
    return crash.position, crash.type_name, crash.message


def _with_one_part(
    individual: Individual, act: Exchange, parts: Sequence[Cause], model: Model
) -> Iterator[Individual]:
    """Yield the accepted call with one part of a failing call, with as few calls as it needs."""
    if not 1 < len(parts) <= MOST_PARTS:
        return
    for part in parts:
        failing = replace(part, value=part.usual, usual=part.value)
        whole = repaired(Individual(model.calls), failing, Model(individual.calls, act))
        if whole is not None:
            yield from dict.fromkeys((with_sources_alone(whole), whole))


def differs(act: Exchange, other: Exchange) -> bool:
    """Say whether another answer shows what is special about `act`.

    A refusal or a crash differs from what is accepted.  Two accepted calls differ in the kind of
    their answers: the status, the page of a redirect, whether a list is empty, a form shown again.
    """
    if _is_failing(other):
        return False
    return _is_failing(act) or (_kind(act) != _kind(other) and not _leads_on(act, other))


def _leads_on(act: Exchange, other: Exchange) -> bool:
    """Say whether a call leads on and the other one shows a form: that is special, not this."""
    is_redirect = FIRST_REDIRECT <= act.status < FIRST_REFUSAL
    return is_redirect and other.response is not None and other.response.has_form


def goes_further(act: Exchange, other: Exchange) -> bool:
    """Say whether a call that was turned away, or found nothing, has its contents refused now.

    Who asks, and for what, is looked at before that.  So another caller, or another address, has
    ended the first refusal, though the call is not accepted either.
    """
    return act.status in DOORS and other.status in CONTENTS


def _wider(act: Exchange, parts: Sequence[Cause], model: Model) -> list[Cause]:
    """Return what may decide where no single part does: an empty body, earlier calls."""
    fields = [one for one in parts if one.location in ("json", "form", "file")]
    is_empty = len(fields) > 1 and BODY.isdisjoint(slot[0] for slot in slots_of(act.request))
    found = [whole_body(act.request, model)] if is_empty else []
    if _is_failing(act) and len(model.calls) > 1:
        found.append(calls_before())
    return found


def _is_address(part: Cause) -> bool:
    return part.location == Location.PATH.value


def _is_sent(part: Cause) -> bool:
    return part.location in ("query", "form", "json") and part.value is not NOT_SENT


def _is_answered(exchange: Exchange) -> bool:
    answered = exchange.response is not None and exchange.crash is None
    return answered and exchange.sent and exchange.routed


def _reads(exchange: Exchange) -> bool:
    return is_safe(exchange.request.endpoint)


def _is_failing(exchange: Exchange) -> bool:
    return exchange.status >= FIRST_REFUSAL or not _is_answered(exchange) or turns_away(exchange)


def _kind(exchange: Exchange) -> tuple[object, ...]:
    response = exchange.response
    if response is None:
        return (exchange.status,)
    body = response.document()
    content: object = bool(body)
    if isinstance(body, dict):
        content = sorted((str(key), part == []) for key, part in body.items())
    return exchange.status, urlsplit(response.location or "").path, response.has_form, content


def _is_alike(
    exchanges: Sequence[Exchange],
    act: Exchange,
    duty: frozenset[TargetId],
    found: FullEvaluation[Individual],
) -> bool:
    """Say whether a test with another value has the same answer, and covers its duty."""
    other = exchanges[-1]
    if other.request.endpoint != act.request.endpoint or not duty <= found.covered_by_call[-1]:
        return False
    if any(one.is_broken for one in exchanges[:-1]):
        return False
    if act.crash is not None and other.crash is not None:
        mine, theirs = act.crash, other.crash
        return (mine.position, mine.type_name) == (theirs.position, theirs.type_name)
    return _body(other) == _body(act)


def _body(exchange: Exchange) -> tuple[int, bytes]:
    return exchange.status, exchange.response.body if exchange.response is not None else b""
