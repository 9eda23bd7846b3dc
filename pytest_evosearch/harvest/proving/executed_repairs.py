"""Executes repairs of one test, and says what each of them shows."""

from __future__ import annotations

from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import crashing_line
from pytest_evosearch.harvest.proving.compared_answers import differs
from pytest_evosearch.harvest.proving.compared_answers import goes_further
from pytest_evosearch.harvest.proving.compared_answers import is_alike
from pytest_evosearch.harvest.proving.compared_answers import is_answered
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import is_open
from pytest_evosearch.harvest.proving.compared_answers import lines_of
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.known_calls import MOST_REPAIRS
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.missing_rows import UNKNOWN_IDENTIFIER
from pytest_evosearch.harvest.proving.missing_rows import asking_for
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import repaired
from pytest_evosearch.harvest.proving.repairs import with_member
from pytest_evosearch.harvest.proving.repairs import with_part_of
from pytest_evosearch.minimize.reducing import sent
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import Cause

ANY_TEXT = "a"
"""Value of a member that a crash asks for: whatever it is, the code gets further with it."""

OTHER = "other_"
"""What the name of a member begins with that no code reads."""


@dataclass
class ExecutedRepairs:
    """Repairs of one test, each executed once."""

    known: KnownCalls
    individual: Individual
    act: Exchange
    _executed: dict[str, FullEvaluation[Individual]] = field(default_factory=dict)

    def ends(self, part: Cause, model: Model) -> bool:
        """Say whether the repair of one part gives the test an answer like the model's."""
        repair = self.executed(repaired(self.individual, part, model))
        if repair is None:
            return False
        found = self.known.as_meant(exchanges_of(repair.evaluation)[-1])
        if not is_answered(found):
            return False
        if self.act.crash is not None and not self._goes_on(repair):
            return False
        is_door = part.location == USER or is_address(part)
        return (is_door and goes_further(self.act, found)) or differs(self.act, found)

    def misses(self, code: frozenset[TargetId], part: Cause, model: Model) -> bool:
        """Say whether the test is accepted with one part of a model, but does not run some code."""
        repair = self.executed(repaired(self.individual, part, model))
        if repair is None or is_open(exchanges_of(repair.evaluation)[-1]):
            return False
        return not code <= repair.covered_by_call[-1]

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

    def leads_on(self, attempt: Individual, is_answer_another: bool = False) -> bool:
        """Say whether a test without a crash runs further lines with what an attempt adds.

        The first call of a user runs those of the log-in, too, so they are not counted.  Where the
        caller may be the cause, the answer must be another one.
        """
        found, plain = self.executed(attempt), self.executed(self.individual)
        if found is None or plain is None or not is_answered(exchanges_of(found.evaluation)[-1]):
            return False
        if is_answer_another and self._is_alike(found):
            return False
        return not set(lines_of(found)) <= set(lines_of(plain))

    def gets_past(self, attempt: Individual | None) -> bool:
        """Say whether a test gets further, and runs the line on which the test crashes."""
        found, plain = self.executed(attempt), self.executed(self.individual)
        if found is None or plain is None or self.act.crash is None:
            return self.gets_further(attempt)
        line = crashing_line(plain, self.act.crash)
        return (line is None or line in lines_of(found)) and self.gets_further(attempt)

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

    def ends_by_row(self, stored: Individual, without: Individual, asked: str) -> bool:
        """Say whether a row ends a refusal, or leads further in the code, and nothing else does.

        A call that was accepted without the row must be accepted with it.  A search may show it
        without further code.  Where an input is `asked` for, as in a log-in, the refusal may stay.
        """
        found, plain = self.executed(stored), self.executed(without)
        if found is None or plain is None or not self._is_alike(plain):
            return False
        other = exchanges_of(found.evaluation)[-1]
        leads_further = len(lines_of(found)) > len(lines_of(plain))
        if not is_open(self.act):
            is_shown = (
                reads(self.act) and bool(self.act.request.query) and not self._is_alike(found)
            )
            is_accepted = bool(other.request.rows) and not is_open(other)
            return is_accepted and (leads_further or is_shown)
        if not other.request.rows or (self._is_alike(found) and not asked):
            return False
        return not is_open(other) or leads_further

    def _is_alike(self, found: FullEvaluation[Individual]) -> bool:
        return is_alike(exchanges_of(found.evaluation), self.act, frozenset(), found)

    def executed(self, attempt: Individual | None) -> FullEvaluation[Individual] | None:
        """Return what came of a test, None where it did not reach its last call."""
        if attempt is None:
            return None
        key = sent(attempt)
        if key not in self._executed:
            if len(self._executed) >= MOST_REPAIRS or self.known.is_over():
                return None
            self._executed[key] = self.known.execute(attempt)
        found = self._executed[key]
        exchanges = exchanges_of(found.evaluation)
        is_whole = len(exchanges) == len(attempt) and exchanges[-1].sent and exchanges[-1].routed
        return found if is_whole else None


def is_address(part: Cause) -> bool:
    """Say whether a part is a value in the address."""
    return part.location == Location.PATH.value
