"""From the archive to the tests worth writing.

    1. every distinct individual of the archive is executed with all probes armed, call by call
    2. each (individual, call) is a candidate test: that call is the act, the calls before it
       arrange; it answers for the targets that the act covers (`harvest.candidate_tests`)
    3. a small set of candidates covers everything (greedy set cover, short tests first)
    4. each chosen one is truncated after its act and minimised: calls, inputs, values (what only
       prepares first, `harvest.arranging.served_calls`); it answers for what it alone covers, and
       for what would get lost otherwise
    5. its texts become readable (`harvest.readable_texts`) and numbers in its last call telling
       (`harvest.telling_numbers`); rows are added at the boundaries of both (`harvest.boundaries`)
    6. it is repeated under other circumstances, to know its unstable facts (`harvest.specimens`,
       `harvest.instability`)
    7. a test whose targets and effects others show as well, be it while they arrange, is left out

Invariant: a target leaves the list of what is still to be covered only when a test that was
executed in its final form covers it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.harvest.aftermath import Aftermath
from pytest_evosearch.harvest.allotment import Allotment
from pytest_evosearch.harvest.arranging.made_rows import MadeRows
from pytest_evosearch.harvest.arranging.reissued_tokens import ReissuedTokens
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.harvest.background import Background
from pytest_evosearch.harvest.candidate_tests import FREEZING_GRACES
from pytest_evosearch.harvest.candidate_tests import CandidateSource
from pytest_evosearch.harvest.duties import Candidate
from pytest_evosearch.harvest.duties import affordable
from pytest_evosearch.harvest.duties import distinct
from pytest_evosearch.harvest.duties import exclusive_duties
from pytest_evosearch.harvest.duties import lost_targets
from pytest_evosearch.harvest.duties import needed
from pytest_evosearch.harvest.executions import Executions
from pytest_evosearch.harvest.habits import habitual
from pytest_evosearch.harvest.instability import FEWEST_REPETITIONS
from pytest_evosearch.harvest.instability import Instability
from pytest_evosearch.harvest.losses import BEFORE_A_FAULT
from pytest_evosearch.harvest.losses import NOT_AGAIN
from pytest_evosearch.harvest.losses import NOT_SHOWN
from pytest_evosearch.harvest.losses import ONE_TEST
from pytest_evosearch.harvest.losses import TOO_LATE
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.permanence import HARMFUL
from pytest_evosearch.harvest.proving.betterment import BETTER
from pytest_evosearch.harvest.proving.betterment import Betterment
from pytest_evosearch.harvest.proving.decisive import Decisive
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.reduction import Reduction
from pytest_evosearch.harvest.specimens import SpecimenMaker
from pytest_evosearch.harvest.telling_facts import TellingFacts
from pytest_evosearch.harvest.telling_numbers import Result
from pytest_evosearch.harvest.worth import with_answers_once
from pytest_evosearch.harvest.worth import worth_keeping
from pytest_evosearch.harvest.worthy_faults import without_newer_libraries
from pytest_evosearch.minimize.set_cover import smallest_suite
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.phase_shares import LEAST_TESTS
from pytest_evosearch.settings.time_plan import LAST_GRACES
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen

UNSEEN = "unseen"
"""Kind of an expectation that no response shows."""

MOST_GRACES = LAST_GRACES // 2
"""Graces after which no further test is minimised.

Even the cheapest steps take one execution for each test, which would be endless for many slow
tests. A candidate that was executed as the test that it would be stays; it is only repeated.
"""

SHARE_OF_TRIALS = 0.25
"""Executions with a mutant for each execution before."""

FEWEST_TRIALS = 100
"""Executions with a mutant, however few were made before."""

MOST_ROUNDS = 3
"""Most rounds in which lost targets go to other tests: later rounds find almost nothing."""


class Harvest:
    """Selects, minimises and repeats the tests of an archive."""

    def __init__(
        self,
        executor: HttpExecutor,
        archive: Archive[Individual],
        allowance: Allowance,
        background: Background | None = None,
        report: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        """Reduce tests and look for reads with one executor, and count its executions.

        `report` is called before each test is minimised, with the numbers of finished and of all
        tests.
        """
        background = background or Background()
        self.losses = Losses()
        self._archive = archive
        self._allowance = allowance
        self._run = background.fence.run
        self._background = background
        self._report = report
        self._seconds = 0.0
        """Average seconds of an execution."""
        self._executions = Executions(executor)
        self._allotment = Allotment(allowance.time_left, allowance.grace)
        tokens = ReissuedTokens(background.keys.constants)
        made = MadeRows()
        self._reduction = _reduction(
            self._executions, self._allotment, allowance, tokens, made, background
        )
        conditions = background.permanence.conditions
        ends = self._allotment.is_over, self._allotment.is_closed
        instability = Instability(executor, conditions, *ends)
        aftermath = Aftermath(self._executions.fully)
        given = self._allotment, background, self.losses, aftermath
        repairing = self._executions.remembered
        self._known = KnownCalls(repairing, self._allotment.is_over, background.rows)
        decisive = Decisive(self._known)
        bettering = background.fence, background.described, bool(background.permanence.lost)
        parts = self._executions, self._allotment, self.losses, decisive
        self._better = Betterment(*parts, *bettering, self._shortened)
        self._source = CandidateSource(archive, self._executions, allowance, *given, tokens, made)
        self._maker = SpecimenMaker(self._executions, instability, *given, decisive)

    def corpus(self) -> Corpus:
        """Return the bodies of each endpoint, and the calls that it accepted."""
        return Corpus.of(self._source.seen.exchanges)

    def specimens(self) -> list[Specimen]:
        """Return the minimised tests with their unstable facts, in a stable order."""
        found = self._evaluations(self._chosen())
        results, added = self._better.improved(found, self._source.seen.tests)
        self._allotment.give_back()
        faults = list(self._quiet_specimens(len(results)))  # first: they are worth most
        kept = needed(self._without_habitual(results), self._source.goals)
        kept = with_answers_once(kept, self.losses, self.corpus())  # not boundaries: mutants differ
        more = (self._specimen(*one) for one in added)
        tests = distinct([*kept, *filter(None, more), *faults])
        stable = without_newer_libraries(tests, self.losses, self._background.sources.newer_library)
        worth = worth_keeping(stable, self.losses, self.corpus())
        return self._run(BETTER, self._telling, worth, otherwise=worth)

    def _telling(self, found: list[Specimen]) -> list[Specimen]:
        """Return the tests with facts that detect small changes of the application."""
        mutants = self._background.mutants
        if mutants is None or self._background.permanence.lost:
            return found
        corpus = replace(self.corpus(), wording=self._background.sources.wording())
        most = max(FEWEST_TRIALS, int(self._executions.count * SHARE_OF_TRIALS))
        telling = TellingFacts(
            mutants, self._executions.again, self._maker, corpus, most, self._allotment.is_over
        )
        return telling.improved(found)

    def _chosen(self) -> list[Candidate]:
        """Return the candidates to become tests, short ones first, frozen ones last.

        A frozen one takes the time of many others.
        """
        before = self._allowance.time_left()
        candidates = self._source.candidates()
        spent = before - self._allowance.time_left() if math.isfinite(before) else 0.0
        if self._background.permanence.lost and self._source.seen.happened:
            self._drop_lost()
        chosen = smallest_suite(
            {index: candidate.targets for index, candidate in enumerate(candidates)},
            lambda index: candidates[index].cost,
        )
        each = self._seconds = spent / max(1, self._executions.count)
        quiet = len(self._source.seen.quiet)
        wanted = [candidates[index] for index in chosen]
        taken = affordable(wanted, each, self._allowance, quiet, self.losses)
        self._report(0, len(taken))
        self._allotment.keep_back(FEWEST_REPETITIONS * (len(taken) + quiet), each)
        return sorted(
            taken, key=lambda one: (one.froze, self._allowance.pace(one.individual), one.cost)
        )

    def _without_habitual(self, results: list[Result]) -> list[Specimen]:
        """Return the specimens; a read that many tests would have does not show one effect."""
        found: list[Specimen] = []
        plain = []
        for place, (evaluation, duty) in enumerate(results):
            seconds = (len(results) - place) * self._seconds
            self._allotment.expect(seconds, seconds)
            if len(found) >= LEAST_TESTS and self._allotment.is_closed(LAST_GRACES):
                self.losses.give_up(evaluation.evaluation.individual, evaluation.covered | duty)
                continue
            specimen = self._specimen(evaluation, duty)
            if specimen is not None:
                found.append(specimen)
                plain.append(partial(self._maker.plain, evaluation, duty))
        for place in self._run(BETTER, habitual, found, otherwise=()):
            found[place] = self._run(BETTER, plain[place], otherwise=None) or found[place]
        return found

    def _specimen(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        """Return the best form of a test; its plain form where that fails."""
        maker = self._maker
        best = self._run(BETTER, lambda: (maker.best(evaluation, duty),), otherwise=None)
        if best is not None:
            return best[0]
        return self._run(ONE_TEST, maker.plain, evaluation, duty, otherwise=None)

    def _reduced(
        self, candidate: Candidate, duty: frozenset[TargetId], refused: set[Individual]
    ) -> FullEvaluation[Individual]:
        """Return the shortest form of a test; as it was found where shortening fails."""
        reduce = self._reduction.reduced
        short = self._run(BETTER, reduce, candidate, duty, refused, otherwise=None)
        if short is not None:
            return short
        as_found = Individual(tuple(candidate.individual.calls[: candidate.act + 1]))
        return candidate.executed or self._executions.fully(as_found)

    def _shortened(
        self, test: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> FullEvaluation[Individual]:
        """Return the shortest form of a test that was made of another one."""
        individual = test.evaluation.individual
        candidate = Candidate(individual, len(individual) - 1, duty, False, executed=test)
        return self._reduced(candidate, duty, set())

    def _quiet_specimens(self, others: int) -> Iterator[Specimen]:
        """Yield a separate test for each fault that is no crash, before `others` are repeated.

        The call of the fault may also be a good test of correct behaviour. So these faults are no
        duty of other tests.
        """
        for target in sorted(self._source.seen.quiet):
            self._expect(repeated=others)
            candidate, fault = self._source.seen.quiet[target]
            if fault.expectation.kind == UNSEEN:
                # The fault itself says so: there was no test to drop.
                self.losses.untested[target] = NOT_SHOWN
                continue
            if self._allotment.is_closed(LAST_GRACES if candidate.is_ready else MOST_GRACES):
                self.losses.drop(target.removeprefix(f"{FAULT} "), TOO_LATE, [target])
                continue
            hurries = self._allotment.is_closed()
            reduced = (
                self._reduction.hasty(candidate, candidate.targets)
                if hurries
                else self._reduced(candidate, candidate.targets, set())
            )
            [(evaluation, _duty)] = self._better.with_texts([(reduced, candidate.targets)])
            plain = self._maker.plain
            specimen = self._run(ONE_TEST, plain, evaluation, candidate.targets, otherwise=None)
            if specimen is not None:
                shown = _fault_called(target, evaluation)
                yield replace(specimen, fault=shown or fault)

    def why_untested(self, target: TargetId) -> str:
        """Return why `target` has no test, where one was dropped; else an empty text."""
        if self.losses.untested.get(target) == TOO_LATE:
            return TOO_LATE
        if target in self.gone or not self._archive.is_covered(target):
            return self._background.permanence.lost or NOT_AGAIN
        passed = BEFORE_A_FAULT if target in self._source.seen.before_faults else ""
        return self.losses.untested.get(target, passed)

    @property
    def goals(self) -> frozenset[TargetId]:
        """Targets that deserve a test."""
        return self._source.goals

    @property
    def gone(self) -> frozenset[TargetId]:
        """Targets that no test of the archive covers any more; none without any covered target."""
        happened = self._source.seen.happened
        return frozenset(self._source.goals if happened else ()) - happened

    def _drop_lost(self) -> None:
        """Report targets without a test: no test covers them any more, or none may be written."""
        foregone = set(self._background.permanence.foregone) - self._archive.covered.keys()
        for target in sorted(self.gone):
            self.losses.drop(target, self._background.permanence.lost)
        for target in sorted(foregone):
            self.losses.drop(target, HARMFUL)

    def _evaluations(self, chosen: list[Candidate]) -> list[Result]:
        """Minimise each chosen candidate to its exclusive targets, then restore lost targets.

        Targets of several candidates do not limit the minimisation at first, and are mostly still
        covered at the end. Lost ones go to the shortest test that had them.
        """
        duties = exclusive_duties(chosen)
        refused: list[set[Individual]] = [set() for _ in chosen]
        results: list[FullEvaluation[Individual]] = []
        unready = sum(not candidate.is_ready for candidate in chosen)
        for place, candidate in enumerate(chosen):
            self._report(len(results), len(chosen))
            self._expect(len(chosen) - place, unready, repeated=len(chosen))
            unready -= not candidate.is_ready
            self._allotment.reserve(len(chosen) - place - 1 + len(self._source.seen.quiet))
            graces = FREEZING_GRACES if candidate.froze else MOST_GRACES
            spared = place < LEAST_TESTS and not candidate.froze
            if not spared and self._allotment.is_closed(graces):
                ready = self._ready_ones(chosen, place)
                results += [one for one in (chosen[at].executed for at in ready) if one is not None]
                duties[place:] = [duties[at] for at in ready]
                chosen = [*chosen[:place], *(chosen[at] for at in ready)]
                break
            hurries = self._allotment.is_closed()
            results.append(
                self._reduction.hasty(candidate, duties[place])
                if hurries
                else self._reduced(candidate, duties[place], refused[place])
            )
        self._recover(chosen, duties, results, refused)
        return list(zip(results, duties, strict=True))

    def _recover(
        self,
        chosen: Sequence[Candidate],
        duties: list[frozenset[TargetId]],
        results: list[FullEvaluation[Individual]],
        refused: Sequence[set[Individual]],
    ) -> None:
        """Give lost targets to the shortest tests that had them, then tests of their own."""
        for _ in range(MOST_ROUNDS):
            lost = lost_targets(chosen, results)
            if self._allotment.is_closed():
                break  # a target lost by chance would take many executions
            for place, candidate in enumerate(chosen):
                added = candidate.targets & lost
                if added:
                    lost -= added
                    duties[place] |= added
                    results[place] = self._reduced(candidate, duties[place], refused[place])
        lost = lost_targets(chosen, results)
        for candidate in chosen:
            if candidate.targets & lost and not self._allotment.is_closed():
                duties.append(candidate.targets & lost)
                results.append(self._reduced(candidate, duties[-1], set()))
                lost -= results[-1].covered

    def _expect(self, candidates: int = 0, unready: int = 0, *, repeated: int) -> None:
        """Tell the allotment of the cheapest way to finish candidates, and to repeat tests.

        Without haste each candidate is executed once more, else only those that are not ready.
        """
        fewest = repeated + len(self._source.seen.quiet) + unready
        self._allotment.expect((fewest + candidates) * self._seconds, fewest * self._seconds)

    def _ready_ones(self, chosen: Sequence[Candidate], place: int) -> list[int]:
        """Return which candidates from index `place` on need no further execution; drop others."""
        late = range(place, len(chosen))
        for at in late:
            if not chosen[at].is_ready:
                self.losses.give_up(chosen[at].individual, chosen[at].targets)
        return [at for at in late if chosen[at].is_ready]


def _reduction(
    executions: Executions,
    allotment: Allotment,
    allowance: Allowance,
    tokens: ReissuedTokens,
    made: MadeRows,
    background: Background,
) -> Reduction:
    return Reduction(
        executions.fully,
        allotment,
        allowance.limit,
        repetitions=background.permanence.attempts,
        users=background.users,
        keys=background.keys,
        tokens=tokens,
        finished=background.finished,
        made=made,
    )


def _fault_called(target: TargetId, evaluation: FullEvaluation[Individual]) -> Fault | None:
    faults = observed(evaluation.evaluation).faults
    return next((fault for fault in faults if fault.target == target), None)
