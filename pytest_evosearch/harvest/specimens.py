"""Repeats a minimised test, and makes a specimen of it, or notes the reason against it."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.chance import in_common
from pytest_evosearch.core.http_words import WRITING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.aftermath import Aftermath
from pytest_evosearch.harvest.aftermath import Shown
from pytest_evosearch.harvest.allotment import Allotment
from pytest_evosearch.harvest.background import Background
from pytest_evosearch.harvest.executions import Executions
from pytest_evosearch.harvest.finished_tests import Differences
from pytest_evosearch.harvest.instability import Instability
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.obstacles import foreign_file
from pytest_evosearch.harvest.obstacles import missing_service
from pytest_evosearch.harvest.obstacles import obstacle_of_calls
from pytest_evosearch.harvest.obstacles import side_effect
from pytest_evosearch.harvest.obstacles import unstable_status
from pytest_evosearch.harvest.obstacles import value_of_machine
from pytest_evosearch.harvest.proving.decisive import Decisive
from pytest_evosearch.minimize.shortening import without_call
from pytest_evosearch.minimize.stability import corrected
from pytest_evosearch.minimize.unstable import TEXT
from pytest_evosearch.minimize.unstable import Repetition
from pytest_evosearch.minimize.unstable import unstable_facts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.write.content.facts import shows_a_change
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

OK = 200


@dataclass
class SpecimenMaker:
    """Makes the specimens of one harvest."""

    executions: Executions
    instability: Instability
    allotment: Allotment
    background: Background
    losses: Losses
    aftermath: Aftermath
    decisive: Decisive

    def best(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        """Return the test with a read that shows its effect, else unchanged, else None."""
        return self._shown(evaluation, duty) or self.plain(evaluation, duty)

    def _shown(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        """Return the test with a read that shows its effect, None without one."""
        if self.allotment.is_over() or _fault_of(evaluation, duty) is not None:
            return None
        shown = self.aftermath.shown(evaluation, duty)
        return None if shown is None else self._with_read(shown, duty)

    def beside(self, individual: Individual) -> list[Call]:
        """Return the reads that a test may end with."""
        return self.aftermath.reads_beside(individual)

    def ended(self, specimen: Specimen, read: Call) -> Specimen | None:
        """Return a test with a read after it, None where that does not show what the test does."""
        individual = specimen.individual
        assert individual is not None
        whole = Individual((*individual.calls, replace(read, label=individual.next_label)))
        without = exchanges_of(
            self.executions.fully(without_call(whole, len(individual) - 1)).evaluation
        )
        found = self.executions.fully(whole)
        statuses = [one.status for one in exchanges_of(found.evaluation)]
        if statuses != [*(one.status for one in specimen.exchanges), OK] or not without:
            return None
        return self._with_read(Shown(found, without[-1]), specimen.targets)

    def _with_read(self, shown: Shown, duty: frozenset[TargetId]) -> Specimen | None:
        """Return a test whose last call shows the effect of the one before."""
        exchanges = exchanges_of(shown.evaluation.evaluation)
        permanence, individual = self.background.permanence, shown.evaluation.evaluation.individual
        if obstacle_of_calls(exchanges) or side_effect(shown.evaluation):
            return None
        if permanence.obstacle(individual, exchanges):
            return None
        if value_of_machine(individual, self.background.sources.is_of_machine):
            return None
        differences = self._differences(shown.evaluation, exchanges)
        if unstable_status(differences.unstable):
            return None
        before = Individual(individual.calls[:-1])
        found = Specimen(
            exchanges=exchanges[:-1],
            targets=duty,
            unstable=differences.unstable,
            covered=shown.evaluation.covered,
            again=differences.again,
            follow_up=FollowUp(exchanges[-1], _text_before(shown)),
            consequences=shown.evaluation.consequences,
            individual=individual,
        )
        if shown.before.status == exchanges[-1].status and not shows_a_change(found):
            return None  # what differs is nothing that a test can assert
        return replace(found, causes=self._causes(before, exchanges[-2], duty))

    def _causes(
        self, individual: Individual, act: Exchange, duty: frozenset[TargetId]
    ) -> tuple[Cause, ...]:
        """Return what decides how the last call is answered, or what code it runs."""
        causes = self.decisive.causes(individual, act)
        return causes or self.decisive.deciding(individual, act, duty)

    def plain(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        """Return the unchanged test; None when there is a reason against it, which is noted."""
        exchanges = exchanges_of(evaluation.evaluation)
        fault = _fault_of(evaluation, duty)
        obstacle = self._obstacle(evaluation, exchanges, fault)
        differences = Differences({}, {})
        if obstacle is None:
            differences = self._differences(evaluation, exchanges)
            obstacle = unstable_status(differences.unstable)
        if obstacle is not None:
            name = " then ".join(exchange.request.endpoint for exchange in exchanges)
            foreign = {one for one in evaluation.covered - duty if kind_of(one) == FAULT}
            self.losses.drop(name, obstacle, (evaluation.covered | duty) - foreign)
            return None
        found = Specimen(
            exchanges=exchanges,
            causes=self._causes(evaluation.evaluation.individual, exchanges[-1], duty),
            targets=duty,
            unstable=differences.unstable,
            fault=_without_chance(fault, exchanges[-1], differences.said),
            covered=evaluation.covered,
            again=differences.again,
            consequences=evaluation.consequences,
            individual=evaluation.evaluation.individual,
            before=None if fault else self._text_without_write(evaluation),
        )
        response = exchanges[-1].response
        if response is not None and not shows_a_change(found):
            return replace(found, before=response.text)
        return found

    def _text_without_write(self, evaluation: FullEvaluation[Individual]) -> str | None:
        """Return what the last call, a read, says without the last write before it.

        None where it then has another status, so that the status shows what the write did.
        """
        individual = evaluation.evaluation.individual
        exchanges = exchanges_of(evaluation.evaluation)
        writes = [at for at, one in enumerate(exchanges[:-1]) if one.request.method in WRITING]
        is_read = exchanges[-1].request.method == "GET" and exchanges[-1].status == OK
        if not writes or not is_read or self.allotment.is_over():
            return None
        if self.background.permanence.lost:
            return None
        rest = without_call(individual, writes[-1])
        answers = exchanges_of(self.executions.fully(rest).evaluation)
        response = answers[-1].response if len(answers) == len(rest) else None
        return response.text if response is not None and response.status == OK else None

    def _obstacle(
        self,
        evaluation: FullEvaluation[Individual],
        exchanges: tuple[Exchange, ...],
        fault: Fault | None,
    ) -> str | None:
        """Return the reason against a test before its repetitions, None for none."""
        obstacle = obstacle_of_calls(exchanges) or side_effect(evaluation)
        obstacle = obstacle or missing_service(exchanges[-1])
        individual = evaluation.evaluation.individual
        obstacle = obstacle or self.background.permanence.obstacle(individual, exchanges)
        is_of_machine = self.background.sources.is_of_machine
        obstacle = obstacle or value_of_machine(individual, is_of_machine)
        if obstacle is None and fault is None:
            return foreign_file(observed(evaluation.evaluation).faults)
        return obstacle

    def _differences(
        self, evaluation: FullEvaluation[Individual], exchanges: tuple[Exchange, ...]
    ) -> Differences:
        """Return how repetitions of a test differ from it."""
        differed = self.instability.differed(exchanges)
        if differed:
            return Differences(differed, {})
        individual = evaluation.evaluation.individual
        known = self.background.finished.differences(individual)
        before = self.instability.executions
        repeated = self.instability.repeated(individual, exchanges, known is not None)
        self.executions.count += self.instability.executions - before
        unstable = unstable_facts(exchanges, repeated)
        if self.background.stability is not None:
            unstable = corrected(unstable, exchanges, self.background.stability)
        again = {call: _pages(repeated, call) for call, fact in unstable if fact == TEXT}
        said = _said_otherwise(repeated, exchanges)
        if known is not None:
            joined = {**known.unstable, **unstable}
            return Differences(joined, {**known.again, **again}, (*known.said, *said))
        found = Differences(unstable, again, said)
        self.background.finished.note_differences(individual, found)
        return found


def _said_otherwise(
    repeated: Iterable[Repetition], exchanges: Sequence[Exchange]
) -> tuple[str, ...]:
    """Return other messages with which the last call crashed in the same way in repetitions."""
    crash = exchanges[-1].crash
    last = (one.exchanges[-1].crash for one in repeated if len(one.exchanges) == len(exchanges))
    alike = (
        one
        for one in last
        if one and crash and (one.type_name, one.position) == (crash.type_name, crash.position)
    )
    return tuple({one.message: None for one in alike if crash and one.message != crash.message})


def _without_chance(fault: Fault | None, act: Exchange, said: Sequence[str]) -> Fault | None:
    """Return a fault with gaps in its message where repetitions of its call said something else."""
    if fault is None or act.crash is None or fault.message != act.crash.message:
        return fault
    return replace(fault, message=in_common((fault.message, *said)))


def _pages(repeated: Iterable[Repetition], call: int) -> tuple[str, ...]:
    responses = [one.exchanges[call].response for one in repeated if call < len(one.exchanges)]
    return tuple(dict.fromkeys(one.text for one in responses if one is not None))


def _text_before(shown: Shown) -> str:
    return shown.before.response.text if shown.before.response is not None else ""


def _fault_of(evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]) -> Fault | None:
    """Return what the last call fails with, first of all a fault for which the test is kept.

    A crash that another fault explains is none of these.
    """
    observation = observed(evaluation.evaluation)
    last = len(observation.exchanges) - 1
    faults = [fault for fault in observation.faults if fault.call == last and fault.is_failure]
    wanted = [fault for fault in faults if fault.target in duty or kind_of(fault.target) == FAULT]
    return min(wanted, key=lambda fault: fault.target not in duty, default=None)
