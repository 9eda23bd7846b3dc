"""Proves by executions which part of a request decides about its answer.

    model      a call of the endpoint with another answer: an accepted one where the test is refused
    repair     one part of the request under test is put back to the model's, all else stays
    cause      a part whose repair alone ends the refusal or the crash, or changes a success; of a
               crash, the missing member that it asks for, or the missing fields (two at most)
               with which the code gets further
    deciding   of a call that is accepted as others are, the part without which it does not run
               the code that its test is kept for
    next fault where no part alone ends it, a part with which the code gets further, if the model
               with the part under test fails like the test; the model may fail in another way

What differs may be an input, a field of a JSON object, a whole body, a stored row, the user, or the
calls before (`harvest.proving.repairs`).  Each test takes at most `MOST_REPAIRS` executions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.http_words import ABOUT_CALLER_OR_ADDRESS
from pytest_evosearch.core.http_words import ABOUT_CONTENTS
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import is_open
from pytest_evosearch.harvest.proving.compared_answers import is_redirect
from pytest_evosearch.harvest.proving.compared_answers import raised_by
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.compared_answers import sends_password
from pytest_evosearch.harvest.proving.compared_answers import shows_nothing
from pytest_evosearch.harvest.proving.executed_repairs import ANY_TEXT
from pytest_evosearch.harvest.proving.executed_repairs import ExecutedRepairs
from pytest_evosearch.harvest.proving.executed_repairs import is_address
from pytest_evosearch.harvest.proving.handed_out import with_tokens
from pytest_evosearch.harvest.proving.known_calls import NOT_FOUND
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.lacking_parts import MOST_CAUSES
from pytest_evosearch.harvest.proving.lacking_parts import lacking_parts
from pytest_evosearch.harvest.proving.missing_rows import asked_by
from pytest_evosearch.harvest.proving.missing_rows import asking_for
from pytest_evosearch.harvest.proving.missing_rows import storing_what_is_asked_for
from pytest_evosearch.harvest.proving.missing_rows import tables_without_rows
from pytest_evosearch.harvest.proving.repairs import FIRST_IDENTIFIER
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import calls_before
from pytest_evosearch.harvest.proving.repairs import differing_parts
from pytest_evosearch.harvest.proving.repairs import whole_body
from pytest_evosearch.harvest.proving.repairs import with_member
from pytest_evosearch.minimize.reducing import sent
from pytest_evosearch.problem.http.composing.rows import model_of
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import STORED
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import Cause

FEWEST_PARTS = 2
"""Fewest parts of a call of which one may decide: of one alone, nothing has to be told."""

MOST_USERS = 2
"""Most users as whom a stranger's call is sent."""

UNASKED = (405, 415)
"""Statuses of refusals before anything is looked for."""

_KEY = re.compile("'([^']+)'")
"""Message of an exception about a missing key: the key alone."""


@dataclass
class Decisive:
    """Finds the causes of answers with the calls that it has noted as models."""

    known: KnownCalls
    _proven: dict[str, tuple[Cause, ...]] = field(default_factory=dict)
    """Content of a test -> its causes, which stay true."""
    _leading: dict[str, Individual] = field(default_factory=dict)
    """Content of a refused test -> the test with what it lacks, which gets further."""

    def causes(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        """Return the parts of a test's last call that decide about its answer, mostly one."""
        key, act = sent(individual), self.known.as_meant(act)
        found = self._proven.get(key) or self._found_causes(individual, act)
        self._proven[key] = found
        return found

    def deciding(
        self, individual: Individual, act: Exchange, duty: frozenset[TargetId]
    ) -> tuple[Cause, ...]:
        """Return the one part without which an accepted call does not run what it is kept for.

        Its answer is of the same kind as that of others, so no repair changes that.
        """
        own, act = code_in(duty), self.known.as_meant(act)
        if not own or is_open(act) or len(slots_of(act.request)) < FEWEST_PARTS:
            return ()
        repairs = ExecutedRepairs(self.known, individual, act)
        for model in self.known.accepted_beside(individual, act):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            named = [one for one in parts if not (one.value is NOT_SENT and reads(act))]
            found = [one for one in named if repairs.misses(own, one, model)]
            if len(found) == 1:
                return tuple(found)
        return ()

    def _found_causes(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        missing = self._missing_member(individual, act)
        if missing is not None:
            return (missing,)
        if act.crash is not None:
            lacking = self._lacking(individual, act, is_passed=True)
            if lacking:
                return lacking
        repairs = ExecutedRepairs(self.known, individual, act)
        for model in self.known.nearest(individual, act):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            if sends_password(act):  # who logs in is no one yet
                parts = [one for one in parts if one.location != USER or one.value is not None]
            if not is_failing(act):  # what a read does not send is nothing special
                parts = [one for one in parts if one.value is not NOT_SENT or not reads(act)]
            # a value that an accepted call sends is usual, and decides only with what is stored
            usual = [one for one in parts if self.known.accepts(act, one)]
            unusual = [one for one in parts if one not in usual]
            found = [one for one in unusual if repairs.ends(one, model)]
            found = found or [one for one in usual if repairs.ends(one, model)]
            if not found:
                found = [one for one in _wider(act, parts, model) if repairs.ends(one, model)]
            if not found and act.status in ABOUT_CALLER_OR_ADDRESS and len(model.calls) > 1:
                whole = replace(model, is_whole=True)
                asked = differing_parts(individual.calls[-1].user, act.request, whole)
                is_named = act.status == NOT_FOUND  # by a field, if not by the address
                asked = [one for one in asked if is_address(one) or (is_named and _is_sent(one))]
                found = [replace(one, usual=LINKED) for one in asked if repairs.ends(one, whole)]
            if found:
                return self._told(found, individual, act, model, repairs)
        return (
            self._lacking(individual, act, is_passed=False)
            or _unknown_number(individual, act, repairs)
            or self._missing_row(individual, act, repairs)
            or self._causes_before_others(individual, act, repairs)
            or self._missing_user(individual, act, repairs)
            or self._missing_token(individual, act, repairs)
            or self._existing_row(individual, act)
        )

    def _missing_user(
        self, individual: Individual, act: Exchange, repairs: ExecutedRepairs
    ) -> tuple[Cause, ...]:
        """Return that a stranger asks, where the code gets further with a user."""
        last = individual.calls[-1]
        is_led = is_redirect(act) or act.status in ABOUT_CALLER_OR_ADDRESS
        if last.user is not None or act.crash is not None or not is_led or sends_password(act):
            return ()
        for user in self.known.users()[:MOST_USERS]:
            attempt = individual.with_call(len(individual) - 1, replace(last, user=user))
            if repairs.leads_on(attempt, is_answer_another=True):
                return (Cause(USER, "", None, user),)
        return ()

    def led_on(self, individual: Individual, act: Exchange) -> FullEvaluation[Individual] | None:
        """Return a refused test with the row, or the token of a page, with which it gets further.

        None where that is not the cause.
        """
        self.causes(individual, act)
        attempt = self._leading.get(sent(individual))
        return None if attempt is None or self.known.is_over() else self.known.execute(attempt)

    def _missing_token(
        self, individual: Individual, act: Exchange, repairs: ExecutedRepairs
    ) -> tuple[Cause, ...]:
        """Return the token of a page that a form lacks, where it gets further with it."""
        for part, attempt in with_tokens(self.known, individual, act):
            if repairs.leads_on(attempt):
                self._leading[sent(individual)] = attempt
                return (part,)
        return ()

    def _existing_row(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        """Return the last row that a refused call asks for, where the code gets less far without.

        That is an account; what the address asks for has to be there to be refused.
        """
        last, asked = individual.calls[-1], asked_by(individual, act.request)
        rows = [one for one in last.inputs if one.location is Location.ROW]
        if not asked or not rows or act.crash is not None or not is_open(act):
            return ()
        kept = tuple(one for one in last.inputs if one is not rows[-1])
        fewer = individual.with_call(len(individual) - 1, replace(last, inputs=kept))
        if not ExecutedRepairs(self.known, fewer, act).leads_on(individual):
            return ()
        model, value = model_of(rows[-1].name), rows[-1].gene.value()
        return (Cause(ROW, model, value, asked_by=asked),)

    def _lacking(
        self, individual: Individual, act: Exchange, *, is_passed: bool
    ) -> tuple[Cause, ...]:
        """Return the fields that a crash comes of the lack of; none of another answer.

        With them, the code gets further, and if it `is_passed`, beyond the line that has crashed:
        another field may only lead past that line.
        """
        if act.crash is None:
            return ()
        repairs = ExecutedRepairs(self.known, individual, act)
        further = repairs.gets_past if is_passed else repairs.gets_further
        return lacking_parts(self.known, individual, act, further)

    def _told(
        self,
        found: Sequence[Cause],
        individual: Individual,
        act: Exchange,
        model: Model,
        repairs: ExecutedRepairs,
    ) -> tuple[Cause, ...]:
        """Return those of the causes that are told: none of many, and what lacks before a value.

        Another value may only hide that a field is missing, which is all that the refusal needs.
        """
        if len(found) == 1 and repairs.ends_with_any_member(found[0]):
            return (whole_body(act.request, model),)
        if act.status in ABOUT_CONTENTS and all(one.value is not NOT_SENT for one in found):
            lacking = lacking_parts(self.known, individual, act, repairs.is_accepted)
            if lacking:
                return lacking
        if len(found) > MOST_CAUSES:
            return ()
        return tuple(replace(one, is_any=repairs.is_any(one)) for one in found)

    def _missing_row(
        self, individual: Individual, act: Exchange, repairs: ExecutedRepairs
    ) -> tuple[Cause, ...]:
        """Return the row without which a call is refused, crashes or does nothing, if so shown."""
        rows, is_unlike = self.known.rows, act.frozen or act.status in UNASKED
        if rows is None or is_unlike or not (is_open(act) or _asks_for_a_row(act)):
            return ()
        plain = repairs.executed(individual)
        if plain is None:
            return ()
        tables = tables_without_rows(plain)
        for model, stored, without in storing_what_is_asked_for(rows, individual, act, tables):
            asked = asked_by(stored, act.request)
            if repairs.ends_by_row(stored, without, asked):
                if is_open(act):
                    self._leading[sent(individual)] = stored
                return (Cause(ROW, model, NOT_SENT, STORED, asked_by=asked),)
        return ()

    def _causes_before_others(
        self, individual: Individual, act: Exchange, repairs: ExecutedRepairs
    ) -> tuple[Cause, ...]:
        """Return the part of a failing call that hides how it, or another one, fails next."""
        nearest = self.known.nearest(individual, act) if is_failing(act) else []
        for model in (*nearest, *self.known.failing_otherwise(individual, act)):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            sent_by_model = [one for one in parts if one.usual is not NOT_SENT]
            found = [one for one in sent_by_model if repairs.leads_further(one, model)]
            if len(found) == 1:
                return (replace(found[0], hides_another=True),)
        return ()

    def _missing_member(self, individual: Individual, act: Exchange) -> Cause | None:
        """Return the member that a crash asks for, where the code goes further with it.

        It may crash for the next one then: each of these crashes has a missing member of its own.
        """
        crash = act.crash
        asked = _KEY.fullmatch(crash.message) if crash is not None else None
        attempt = with_member(individual, asked[1], ANY_TEXT) if asked is not None else None
        if crash is None or asked is None or attempt is None or self.known.is_over():
            return None
        exchanges = exchanges_of(self.known.execute(attempt).evaluation)
        found = exchanges[-1]
        if len(exchanges) < len(attempt) or not (found.sent and found.routed):
            return None
        is_same = found.crash is not None and raised_by(found.crash) == raised_by(crash)
        return None if is_same else Cause(Location.JSON.value, asked[1], NOT_SENT, ANY_TEXT)


def _unknown_number(
    individual: Individual, act: Exchange, repairs: ExecutedRepairs
) -> tuple[Cause, ...]:
    """Return the number that asks for a row, where the code gets further with the first one."""
    is_crash = act.crash is not None and not act.frozen
    for number, ordinary in asking_for(individual, FIRST_IDENTIFIER) if is_crash else ():
        if repairs.ends_crash(ordinary):
            return (number,)
        if repairs.gets_further(ordinary):
            is_any = repairs.is_any(number)
            return (replace(number, is_any=is_any, hides_another=True),)
    return ()


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


def _asks_for_a_row(act: Exchange) -> bool:
    """Say whether an accepted call asks for something, or shows that there is nothing."""
    sent = {place for place, _name in slots_of(act.request)}
    return bool(sent & {"path", "query", *BODY}) or shows_nothing(act)


def _is_sent(part: Cause) -> bool:
    return part.location in ("query", "form", "json") and part.value is not NOT_SENT
