"""Makes tests more like those that people write, where they stay as they are in what they show.

all          forms have all their fields, and texts stand where texts are usual
refused      values that do not matter become good ones, and of several wrong parts one is kept
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import QUERY
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.core.targets import is_inner
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import differs
from pytest_evosearch.harvest.proving.compared_answers import is_alike
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.compared_answers import sends_password
from pytest_evosearch.harvest.proving.decisive import Decisive
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.page_forms import filled_as_shown
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import differing_parts
from pytest_evosearch.harvest.proving.repairs import repaired
from pytest_evosearch.harvest.proving.repairs import shared_texts
from pytest_evosearch.harvest.proving.repairs import with_part_of
from pytest_evosearch.harvest.proving.repairs import with_sources_alone
from pytest_evosearch.harvest.proving.repairs import with_text
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import Cause

MOST_PARTS = 6
"""Most parts in which a failing call differs from an accepted one that is tried with each."""


FRESH = "new"
"""What a text begins with that no earlier call has stored."""


@dataclass
class Improvements:
    """Better forms of tests, each executed."""

    decisive: Decisive

    @property
    def known(self) -> KnownCalls:
        """The calls that tests are compared with."""
        return self.decisive.known

    def ordinary(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return a test as people send it, with good values in all parts that do not matter.

        A refused value is put back where no accepted call has it, and the answer stays as it was.
        Where no part alone decides, an accepted call with one part of this one may show the same.
        """
        evaluation = self._as_a_stranger(evaluation, duty)
        evaluation = self._filled(self._as_shown(evaluation, duty), duty)
        evaluation = self._without_stale_values(evaluation, duty)
        individual = evaluation.evaluation.individual
        act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
        if not is_failing(act):
            return evaluation
        for model in self.known.nearest(individual, act)[:1]:
            for part in differing_parts(individual.calls[-1].user, act.request, model):
                if NOT_SENT in (part.value, part.usual) or self.known.accepts(act, part):
                    continue
                attempt = repaired(evaluation.evaluation.individual, part, model)
                if attempt is None or len(attempt) > len(individual) or self.known.is_over():
                    continue
                found = self.known.execute(attempt)
                if _is_like(found, act, duty, evaluation):
                    evaluation = found
        return self._with_one_cause(evaluation, duty)

    def _as_a_stranger(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return a log-in by a client that is not logged in, and was not, where that is alike."""
        individual = evaluation.evaluation.individual
        act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
        is_known = any(one.user is not None for one in individual.calls)
        if not (sends_password(act) and is_known) or self.known.is_over():
            return evaluation
        alone = with_sources_alone(individual)
        found = self.known.execute(Individual(tuple(replace(one, user=None) for one in alone)))
        return found if _is_like(found, act, duty, evaluation) else evaluation

    def _as_shown(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return the test with the fields of its form, as its page has them, where that is alike.

        A crash may come of what is not sent.
        """
        individual = evaluation.evaluation.individual
        act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
        filled = filled_as_shown(self.known, individual, act) if act.crash is None else None
        if filled is None or self.known.is_over():
            return evaluation
        found = self.known.execute(filled)
        return found if _is_like(found, act, duty, evaluation) else evaluation

    def _filled(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return the test with all fields of its form, and texts where others send texts."""
        act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
        parts = self.known.usual_parts(act)
        filled: Individual | None = evaluation.evaluation.individual
        for part, model in parts:
            filled = repaired(filled, part, model) if filled is not None else None
        if len(parts) > 1 and filled is not None and not self.known.is_over():
            found = self.known.execute(filled)
            if _is_like(found, act, duty, evaluation):
                return found
        for part, model in parts[:MOST_PARTS]:
            attempt = repaired(evaluation.evaluation.individual, part, model)
            if attempt is None or self.known.is_over():
                continue
            found = self.known.execute(attempt)
            act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
            if _is_like(found, act, duty, evaluation):
                evaluation = found
            elif part.value is NOT_SENT:  # a page sends an empty field, too
                evaluation = self._with_empty_field(evaluation, attempt, part, duty) or evaluation
        return evaluation

    def _without_stale_values(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return the test without values of answers long ago, where nothing comes of them.

        What other calls take from an answer is handed out anew each time: a literal is stale.
        """
        act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
        for location, name in self.known.handed_out(act):
            individual = evaluation.evaluation.individual
            last = individual.calls[-1]
            kept = [
                one for one in last.inputs if (one.location.value, one.name) != (location, name)
            ]
            if len(kept) == len(last.inputs) or self.known.is_over():
                continue
            fewer = individual.with_call(len(individual) - 1, replace(last, inputs=tuple(kept)))
            found = self.known.execute(fewer)
            if _is_like(found, act, duty, evaluation):
                evaluation = found
        return evaluation

    def _with_empty_field(
        self,
        evaluation: FullEvaluation[Individual],
        filled: Individual,
        part: Cause,
        duty: frozenset[TargetId],
    ) -> FullEvaluation[Individual] | None:
        """Return the test with a field that is empty, if it fails there, or has the same answer."""
        act = self.known.as_meant(exchanges_of(evaluation.evaluation)[-1])
        attempt = with_text(filled, (part.location, part.name), "")
        if attempt is None or self.known.is_over():
            return None
        found = self.known.execute(attempt)
        other = exchanges_of(found.evaluation)[-1]
        if act.crash is None or other.crash is None:
            return found if _is_like(found, act, duty, evaluation) else None
        alike = replace(act, crash=replace(act.crash, type_name=other.crash.type_name))
        return found if _is_like(found, alike, duty, evaluation) else None

    def _with_one_cause(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return an accepted call with one part of a failing one that fails alike, if any does.

        It is only looked for where no part of the failing call decides alone: several are wrong,
        or several rows are missing.
        """
        individual = evaluation.evaluation.individual
        act = exchanges_of(evaluation.evaluation)[-1]
        causes = self.decisive.causes(individual, act)
        if any((one.location, one.name) != (ROW, ALL_ROWS) for one in causes):
            return evaluation
        fresh = self._with_fresh_values(evaluation, duty)
        if fresh is not None:
            return fresh
        user = individual.calls[-1].user
        alike = [one for one in self.known.nearest(individual, act) if one.call.user == user]
        for model in alike:
            parts = differing_parts(individual.calls[-1].user, act.request, model)
            for attempt in _with_one_part(individual, act, parts, model):
                if self.known.is_over():
                    return evaluation
                found = self.known.execute(attempt)
                exchanges = exchanges_of(found.evaluation)
                is_whole = len(exchanges) == len(attempt)
                if is_whole and is_alike(exchanges, act, _shown(duty, act), found):
                    return found
        return evaluation

    def _with_fresh_values(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual] | None:
        """Return a failing write with new values for what exists already, but for its one cause.

        Where an earlier call has stored several of its values, one of them alone may be refused.
        """
        exchanges = exchanges_of(evaluation.evaluation)
        act = exchanges[-1]
        for slot, text in shared_texts(exchanges)[:MOST_PARTS]:
            attempt = with_text(evaluation.evaluation.individual, slot, f"{FRESH}{text}")
            if attempt is None or reads(act) or self.known.is_over():
                continue
            found = self.known.execute(attempt)
            if is_alike(exchanges_of(found.evaluation), act, duty, found):
                evaluation = found
                if self.decisive.causes(attempt, exchanges_of(found.evaluation)[-1]):
                    return evaluation
        return None


def _shown(duty: frozenset[TargetId], act: Exchange) -> frozenset[TargetId]:
    """Return what a better form of a test has to show: neither how queries nor look-ups end."""
    unseen = {QUERY} if act.crash is None else {QUERY, FAULT}  # the place of a crash is compared
    return frozenset(one for one in duty if not is_inner(one) and kind_of(one) not in unseen)


def _is_like(
    found: FullEvaluation[Individual],
    act: Exchange,
    duty: frozenset[TargetId],
    before: FullEvaluation[Individual],
) -> bool:
    """Say whether a fuller test runs the same code for the same answer; of a success, its kind."""
    exchanges = exchanges_of(found.evaluation)
    shown = _shown(duty, act)
    if not code_in(before.covered_by_call[-1]) <= found.covered_by_call[-1]:
        return False
    if is_failing(act):
        return is_alike(exchanges, act, shown, found)
    other = exchanges[-1]
    is_same = other.status == act.status and not is_failing(other) and not differs(act, other)
    is_sound = not any(one.is_broken for one in exchanges)
    return is_same and is_sound and shown <= found.covered_by_call[-1]


def _with_one_part(
    individual: Individual, act: Exchange, parts: Sequence[Cause], model: Model
) -> Iterator[Individual]:
    """Yield the accepted call with one part of a failing call, with as few calls as it needs."""
    if not 1 < len(parts) <= MOST_PARTS:
        return
    for part in parts:
        whole = with_part_of(model, part, individual, act)
        if whole is not None:
            yield from dict.fromkeys((with_sources_alone(whole), whole))
