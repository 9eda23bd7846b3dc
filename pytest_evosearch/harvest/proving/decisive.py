"""Proves by executions which part of a request decides about its answer.

    model      a call of the endpoint with another answer: an accepted one where the test is refused
    repair     one part of the request under test is put back to the model's, all else stays
    cause      a part whose repair alone ends the refusal or the crash, or changes a success; of a
               crash, the missing member that it asks for, or the missing fields (two at most)
               with which the code gets further
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
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import differs
from pytest_evosearch.harvest.proving.compared_answers import goes_further
from pytest_evosearch.harvest.proving.compared_answers import is_alike
from pytest_evosearch.harvest.proving.compared_answers import is_answered
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import is_open
from pytest_evosearch.harvest.proving.compared_answers import lines_of
from pytest_evosearch.harvest.proving.compared_answers import raised_by
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.known_calls import MOST_REPAIRS
from pytest_evosearch.harvest.proving.known_calls import NOT_FOUND
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.lacking_parts import MOST_CAUSES
from pytest_evosearch.harvest.proving.lacking_parts import lacking_parts
from pytest_evosearch.harvest.proving.missing_rows import UNKNOWN_IDENTIFIER
from pytest_evosearch.harvest.proving.missing_rows import asked_by
from pytest_evosearch.harvest.proving.missing_rows import asking_for
from pytest_evosearch.harvest.proving.missing_rows import storing_what_is_asked_for
from pytest_evosearch.harvest.proving.missing_rows import tables_without_rows
from pytest_evosearch.harvest.proving.repairs import FIRST_IDENTIFIER
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import calls_before
from pytest_evosearch.harvest.proving.repairs import differing_parts
from pytest_evosearch.harvest.proving.repairs import repaired
from pytest_evosearch.harvest.proving.repairs import whole_body
from pytest_evosearch.harvest.proving.repairs import with_member
from pytest_evosearch.minimize.reducing import sent
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

ANY_TEXT = "a"
"""Value of a member that a crash asks for: whatever it is, the code gets further with it."""

OTHER = "other_"
"""What the name of a member begins with that no code reads."""

UNASKED = (401, 405, 415)
"""Statuses of refusals before anything is looked for."""

_KEY = re.compile("'([^']+)'")
"""Message of an exception about a missing key: the key alone."""


@dataclass
class Decisive:
    """Finds the causes of answers with the calls that it has noted as models."""

    known: KnownCalls
    _proven: dict[str, tuple[Cause, ...]] = field(default_factory=dict)
    """Content of a test -> its causes, which stay true."""

    def causes(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        """Return the parts of a test's last call that decide about its answer, mostly one."""
        key, act = sent(individual), self.known.as_meant(act)
        found = self._proven.get(key) or self._found_causes(individual, act)
        self._proven[key] = found
        return found

    def _found_causes(self, individual: Individual, act: Exchange) -> tuple[Cause, ...]:
        missing = self._missing_member(individual, act)
        if missing is not None:
            return (missing,)
        if act.crash is not None:
            further = _Repairs(self, individual, act).gets_further
            lacking = lacking_parts(self.known, individual, act, further)
            if lacking:
                return lacking
        repairs = _Repairs(self, individual, act)
        for model in self.known.nearest(individual, act):
            parts = differing_parts(individual.calls[-1].user, act.request, model)
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
                asked = [one for one in asked if _is_address(one) or (is_named and _is_sent(one))]
                found = [replace(one, usual=LINKED) for one in asked if repairs.ends(one, whole)]
            if found:
                return self._told(found, individual, act, model, repairs)
        return (
            _unknown_number(individual, act, repairs)
            or self._missing_row(individual, act, repairs)
            or self._causes_before_others(individual, act, repairs)
        )

    def _told(
        self,
        found: Sequence[Cause],
        individual: Individual,
        act: Exchange,
        model: Model,
        repairs: _Repairs,
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
        self, individual: Individual, act: Exchange, repairs: _Repairs
    ) -> tuple[Cause, ...]:
        """Return the row without which a call is refused, or crashes, where storing it shows so."""
        rows, is_unlike = self.known.rows, act.frozen or act.status in UNASKED
        if rows is None or is_unlike or not is_open(act):
            return ()
        plain = repairs.executed(individual)
        if plain is None:
            return ()
        tables = tables_without_rows(plain)
        for model, stored, without in storing_what_is_asked_for(rows, individual, act, tables):
            if repairs.ends_by_row(stored, without):
                asked = asked_by(stored, act.request)
                return (Cause(ROW, model, NOT_SENT, STORED, asked_by=asked),)
        return ()

    def _causes_before_others(
        self, individual: Individual, act: Exchange, repairs: _Repairs
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


@dataclass
class _Repairs:
    """Repairs of one test, each executed once."""

    decisive: Decisive
    individual: Individual
    act: Exchange
    _known: dict[str, FullEvaluation[Individual]] = field(default_factory=dict)

    def ends(self, part: Cause, model: Model) -> bool:
        """Say whether the repair of one part gives the test an answer like the model's."""
        repair = self.executed(repaired(self.individual, part, model))
        if repair is None:
            return False
        found = self.decisive.known.as_meant(exchanges_of(repair.evaluation)[-1])
        if not is_answered(found):
            return False
        if self.act.crash is not None and not self._goes_on(repair):
            return False
        is_door = part.location == USER or _is_address(part)
        return (is_door and goes_further(self.act, found)) or differs(self.act, found)

    def ends_with_any_member(self, part: Cause) -> bool:
        """Say whether an object without members is the cause, and not which one it lacks."""
        payload, is_member = self.act.request.payload, part.location == Location.JSON.value
        attempt = with_member(self.individual, f"{OTHER}{part.name}", ANY_TEXT)
        if payload != {} or not is_member or attempt is None:
            return False
        repair = self.executed(attempt)
        return repair is not None and differs(self.act, exchanges_of(repair.evaluation)[-1])

    def leads_further(self, part: Cause, model: Model) -> bool:
        """Say whether a part of a model ends how the test fails, and its own causes that there.

        An accepted call that fails like the test with one part of it shows that this part decides.
        Where the model fails, too, the test must get further, that is, run more lines: then its
        part is looked at before that of the model.
        """
        repair = self.executed(repaired(self.individual, part, model))
        if repair is None or self._is_alike(repair):
            return False
        plain = self.executed(self.individual) if is_open(model.exchange) else None
        if is_open(model.exchange) and (
            plain is None or len(lines_of(repair)) <= len(lines_of(plain))
        ):
            return False
        spoiled = self.executed(with_part_of(model, part, self.individual, self.act))
        return spoiled is not None and self._is_alike(spoiled)

    def gets_further(self, attempt: Individual | None) -> bool:
        """Say whether a test ends otherwise than with the same crash, and with more lines."""
        found = self.executed(attempt)
        return found is not None and not self._is_alike(found) and self._goes_on(found)

    def is_accepted(self, attempt: Individual | None) -> bool:
        """Say whether a refused call is not refused with what an attempt adds."""
        found = self.executed(attempt)
        return found is not None and not is_failing(exchanges_of(found.evaluation)[-1])

    def _goes_on(self, found: FullEvaluation[Individual]) -> bool:
        """Say whether a call is not only refused before it comes to where the test crashes."""
        if not is_open(exchanges_of(found.evaluation)[-1]):
            return True
        plain = self.executed(self.individual)
        return plain is None or set(lines_of(plain)) <= set(lines_of(found))

    def is_any(self, part: Cause) -> bool:
        """Say whether a crash for a number that asks for a row is that of any unknown number."""
        if self.act.crash is None or part.hides_another:
            return False
        others = asking_for(self.individual, UNKNOWN_IDENTIFIER)
        attempts = [
            other for one, other in others if (one.location, one.name) == (part.location, part.name)
        ]
        found = self.executed(attempts[0]) if attempts else None
        return found is not None and self._is_alike(found)

    def ends_crash(self, attempt: Individual) -> bool:
        """Say whether a test with another number is answered without a crash."""
        found = self.executed(attempt)
        return found is not None and is_answered(exchanges_of(found.evaluation)[-1])

    def ends_by_row(self, stored: Individual, without: Individual) -> bool:
        """Say whether a row ends a refusal, or leads further in the code, and nothing else does."""
        found, plain = self.executed(stored), self.executed(without)
        if found is None or plain is None or not self._is_alike(plain):
            return False
        other = exchanges_of(found.evaluation)[-1]
        if self._is_alike(found) or not other.request.rows:
            return False
        return not is_open(other) or len(lines_of(found)) > len(lines_of(plain))

    def _is_alike(self, found: FullEvaluation[Individual]) -> bool:
        return is_alike(exchanges_of(found.evaluation), self.act, frozenset(), found)

    def executed(self, attempt: Individual | None) -> FullEvaluation[Individual] | None:
        """Return what came of a test, None where it did not reach its last call."""
        if attempt is None:
            return None
        key = sent(attempt)
        if key not in self._known:
            if len(self._known) >= MOST_REPAIRS or self.decisive.known.is_over():
                return None
            self._known[key] = self.decisive.known.execute(attempt)
        found = self._known[key]
        exchanges = exchanges_of(found.evaluation)
        is_whole = len(exchanges) == len(attempt) and exchanges[-1].sent and exchanges[-1].routed
        return found if is_whole else None


def _unknown_number(individual: Individual, act: Exchange, repairs: _Repairs) -> tuple[Cause, ...]:
    """Return the number that asks for a row, where the code gets further with the first one."""
    is_crash = act.crash is not None and not act.frozen
    for number, ordinary in asking_for(individual, FIRST_IDENTIFIER) if is_crash else ():
        if repairs.ends_crash(ordinary):
            return (number,)
        if repairs.gets_further(ordinary):
            is_any = repairs.is_any(number)
            return (replace(number, is_any=is_any, hides_another=True),)
    return ()


def with_part_of(
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
