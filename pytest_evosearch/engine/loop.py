"""The search loop: ask, execute, offer, learn, tell.

    execute what the problem wants first (each endpoint as each user, and again with
        what was learnt of it; then more attempts at what refuses), and tell the algorithm
    while budget left and no stop is requested:
        for individual in algorithm.ask():
            evaluation = executor.evaluate(individual)
            archive.offer(evaluation); probes of what is covered are retired
            problem.learn(evaluation)
        algorithm.tell(evaluations)
        algorithm.welcome(what other islands found, executed here)

The archive holds everything that was found, whatever ends the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.core.events import FaultFound
from pytest_evosearch.core.events import Progress
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.loop_parts import Announcements
from pytest_evosearch.engine.loop_parts import Ending
from pytest_evosearch.engine.loop_parts import LoadedSource
from pytest_evosearch.engine.loop_parts import Occasions
from pytest_evosearch.engine.search_statistics import Statistics
from pytest_evosearch.engine.walks.page_walks import WALKS
from pytest_evosearch.engine.walks.page_walks import Walking
from pytest_evosearch.execution.conversation import GoOn
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.stopping import StallRule
from pytest_evosearch.search.stopping import is_everything_covered
from pytest_evosearch.search.stopping import is_stalled
from pytest_evosearch.settings.phase_shares import OPENING_SHARE
from pytest_evosearch.settings.phase_shares import START_SHARE
from pytest_evosearch.settings.phase_shares import SURVEY_SHARE

MILESTONES = frozenset((200, 1000, 5000, 25_000))
"""Numbers of evaluations after which probes of covered code are removed: most is covered early."""

STATE_CHECKS = frozenset((30, 100, 500, 2500, 12_500))
"""Numbers of evaluations after which the state is checked: lost state shows early."""

TURN, LOOKS_IN_TURN = 30, 10
"""Of so many evaluations, how many may be attempts at what refuses, outside the opening."""

LEARNING = "what is learnt of responses"
DOORS = "attempts to get in"
STATE = "the check of the application's state"
JOURNAL = "the journal"
"""Parts of a search without which it goes on."""

PATIENCE = StallRule(minimum=30_000, share=0.75)
"""A search without an improvement for three quarters of a long run will find little more."""


@dataclass(slots=True)
class SearchLoop:
    """Runs one algorithm until the budget, the host or the coverage ends it."""

    problem: HttpProblem
    rng: Random
    algorithm: SearchAlgorithm[Individual]
    archive: Archive[Individual]
    meter: BudgetMeter
    evaluate: Callable[[Individual], Evaluation[Individual]]
    source: LoadedSource
    ending: Ending
    announcements: Announcements
    occasions: Occasions = field(default_factory=Occasions)
    statistics: Statistics = field(default_factory=Statistics)
    _opened: bool = False
    """Whether all that comes before the algorithm is done."""

    def announce(self) -> None:
        """Show the state of the search before it begins: the first test may take long."""
        self._emit_progress()

    def run(self) -> ExitReason:
        """Search until something ends the search, and return the reason."""
        try:
            return self._search()
        finally:
            self._note_progress()
            self._emit_progress()
            self.statistics.seconds = self.meter.elapsed

    def start_with(self, individuals: Iterable[Individual], users: Sequence[str]) -> None:
        """Execute tests that are known to be useful, and tell the algorithm their outcomes.

        Each test is sent anonymously first, and then by each of `users` where it is refused.  This
        is part of the search, of which it takes at most `START_SHARE`.
        """
        evaluations: list[Evaluation[Individual]] = []
        for individual in individuals:
            for user in (None, *users):
                if self.share >= START_SHARE or self._reason_to_stop() is not None:
                    self.algorithm.welcome(evaluations)
                    return
                evaluations.append(self._execute(individual.sent_by(user)))
                if not _is_refused(evaluations[-1]):
                    break
        self.algorithm.welcome(evaluations)

    def open(self, briefly: bool = False) -> None:
        """Execute what comes before the algorithm, and tell the algorithm the outcomes.

        With `briefly`, visit every endpoint once, and go on only where one turns callers away.
        """
        evaluations: list[Evaluation[Individual]] = []
        while self._is_opening() and self._reason_to_stop() is None:
            visit = self._next_of_opening(briefly)
            if visit is None:
                self._opened = True
                break
            evaluation = self._execute(visit)
            if not self.problem.is_trial(evaluation.individual):
                evaluations.append(evaluation)
        self.algorithm.welcome(evaluations)

    def _next_of_opening(self, briefly: bool) -> Individual | None:
        """Return a visit, or another attempt at what refuses, because more may lie behind it."""
        problem, rng = self.problem, self.rng
        look = self._look_at_doors(pressing=True) if problem.surveyed else self._look_in_turn()
        if briefly and problem.surveyed and not self.statistics.refusals:
            return look
        return look or problem.visit(rng) or self._look_at_doors(pressing=False)

    def _look_in_turn(self) -> Individual | None:
        """Return another attempt at what refuses, where it is the turn of such attempts."""
        is_turn = self.meter.evaluations % TURN >= TURN - LOOKS_IN_TURN
        return self._look_at_doors(pressing=not self._opened) if is_turn else None

    def _look_at_doors(self, pressing: bool) -> Individual | None:
        """Return another attempt at what refuses."""
        look = self.problem.look_at_doors
        return self.occasions.fence.run(DOORS, look, self.rng, pressing, otherwise=None)

    def _learn(self, evaluation: Evaluation[Individual]) -> None:
        walking = self.occasions.walking
        if walking is not None:
            self.occasions.fence.run(WALKS, walking.learn, evaluation, otherwise=None)
        self.occasions.fence.run(LEARNING, self.problem.learn, evaluation, otherwise=None)

    def _is_opening(self) -> bool:
        return self.share < (OPENING_SHARE if self.problem.surveyed else SURVEY_SHARE)

    def _search(self) -> ExitReason:
        self.open()
        while True:
            reason = self._reason_to_stop() or self._walked_to_an_end()
            if reason is not None:
                return reason
            look = self._look_in_turn()
            if look is not None:
                evaluation = self._execute(look)
                if not self.problem.is_trial(evaluation.individual):
                    self.algorithm.welcome([evaluation])
                continue
            evaluations = []
            for individual in self.algorithm.ask():
                evaluations.append(self._execute(individual))
                reason = self._reason_to_stop()
                if reason is not None:
                    break
            self.algorithm.tell(evaluations)
            self.take_in(self.occasions.newcomers())

    def _walked_to_an_end(self) -> ExitReason | None:
        """Walk over pages when it is time, and return why the search then ends, if it does."""
        walking, fence = self.occasions.walking, self.occasions.fence
        asked = fence.run(WALKS, walking.ask, fence, otherwise=None) if walking else None
        if walking is None or asked is None:
            return None
        self.grow(walking, *asked, walking.tell)
        return self._reason_to_stop()

    def grow(
        self,
        walking: Walking,
        individual: Individual,
        go_on: GoOn,
        tell: Callable[[Evaluation[Individual]], None] = lambda _evaluation: None,
    ) -> None:
        """Execute a test that grows by what `go_on` returns, and keep what it gains."""
        grown = walking.evaluate(individual, go_on)
        evaluation = grown.evaluation
        self._count()
        self.occasions.fence.run(WALKS, tell, evaluation, otherwise=None)
        shown = replace(observed(evaluation), comparisons=())
        self._learn(replace(evaluation, scores={}, observation=shown))
        self.statistics.note(shown)
        self._check_state_now_and_then()
        evaluations = []
        for test in walking.kept(grown, self.archive.gains):
            if self._reason_to_stop() is not None:
                evaluations.append(self._kept_as_it_is(evaluation))
                break
            evaluations.append(self._execute(test))
        self.algorithm.welcome(evaluations)

    def _kept_as_it_is(self, evaluation: Evaluation[Individual]) -> Evaluation[Individual]:
        """Keep what a walk has found that there is no time to shorten."""
        evaluation, newly = self.offered(evaluation)
        self._report(observed(evaluation), newly)
        return evaluation

    def take_in(self, individuals: Iterable[Individual], within_budget: bool = False) -> None:
        """Execute tests of other islands or of a run that was not completed, unchanged.

        All are executed unless only those `within_budget` are wanted.
        """
        evaluations = []
        for individual in individuals:
            if within_budget and self._reason_to_stop() is not None:
                break
            evaluations.append(self._execute(individual))
        if evaluations:
            self.algorithm.welcome(evaluations)

    @property
    def evaluations(self) -> int:
        """Return the number of evaluations of all islands."""
        return self.meter.evaluations + self.statistics.elsewhere

    def _reason_to_stop(self) -> ExitReason | None:
        if self.ending.is_interrupted():
            return ExitReason.INTERRUPTED
        if self.share >= self.ending.share and self.evaluations:  # one test may take longer
            return ExitReason.BUDGET
        if self.ending.once_covered and self._is_everything_covered():
            return ExitReason.COVERED
        if is_stalled(self.archive, PATIENCE):
            return ExitReason.STALLED
        if 0 < self.ending.maximum_faults <= len(self.statistics.faults):
            return ExitReason.FAULTS
        return None

    def _is_everything_covered(self) -> bool:
        """Say whether each endpoint was visited, and all known targets are covered."""
        if self.archive.best or not (self._opened or self.problem.surveyed):
            return False
        return is_everything_covered(self.archive, self.source.expected())

    @property
    def share(self) -> float:
        """Return the spent share of what the search may use."""
        if self.ending.spent is None or self.meter.budget.evaluations is not None:
            return self.meter.share
        return self.ending.spent()

    def _execute(self, individual: Individual) -> Evaluation[Individual]:
        evaluation = self.evaluate(individual)
        correct = self.problem.corrected
        corrected = self.occasions.fence.run(DOORS, correct, evaluation, self.rng, otherwise=None)
        if corrected is not None:  # it was sent to learn which signature is needed
            evaluation = self.evaluate(corrected)
        self._count()
        if self.problem.is_trial(evaluation.individual):  # no other test has this property
            self._learn(evaluation)
            self.statistics.note(observed(evaluation))
            return evaluation
        evaluation, newly = self.offered(evaluation)
        self._learn(evaluation)
        observation = observed(evaluation)
        self.statistics.note(observation)
        self._report(observation, newly)
        self._check_state_now_and_then()
        return evaluation

    def _count(self) -> None:
        """Count an evaluation; remove probes of covered code now and then."""
        self.meter.count()
        if self.meter.evaluations in MILESTONES:
            self.source.respecialize()

    def _check_state_now_and_then(self) -> None:
        if self.meter.evaluations in STATE_CHECKS:
            self.occasions.fence.run(STATE, self.occasions.check_state, otherwise=None)

    def offered(
        self, evaluation: Evaluation[Individual]
    ) -> tuple[Evaluation[Individual], Sequence[TargetId]]:
        """Offer a test to the archive; return it as it was offered, and what it covers first.

        Where it would be kept or shows an unknown fault, it is confirmed before.
        """
        observation = observed(evaluation)
        unknown = any(not self.statistics.knows(fault) for fault in observation.faults)
        if unknown or self.archive.would_keep(evaluation, for_size=bool(observation.recorded)):
            evaluation = self.occasions.confirm(evaluation)
        newly = self.archive.offer(evaluation)
        if newly:
            self.source.retire(newly)
        return evaluation, newly

    def examine(self, individual: Individual) -> Observation:
        """Execute a test that does not count as an evaluation, and keep what it covers."""
        evaluation, newly = self.offered(self.evaluate(individual))
        observation = observed(evaluation)
        self.statistics.note_answers(observation)
        self._report(observation, newly)
        return observation

    def withdraw(self, targets: Collection[TargetId]) -> None:
        """Forget faults that another fault explains."""
        self.archive.forget(targets)
        for target in targets:
            self.statistics.faults.pop(target, None)
            self.statistics.fault_endpoints.pop(target, None)

    def reconsider(self) -> int:
        """Forget responses and faults that do not occur again; the search looks for them anew.

        They were seen in a state that earlier tests had left.  Targets that are still reached stay
        covered by their tests.  Return how many faults are withdrawn until they are seen again.
        """
        withdrawn = 0
        for individual, targets in self._answered().items():
            if self._reason_to_stop() is not None:
                break
            scores = self.evaluate(individual).scores
            gone = [one for one in targets if scores.get(one, 0.0) < COVERED]
            self.archive.forget(gone)
            withdrawn += self.statistics.withdraw(gone)
        return withdrawn

    def _answered(self) -> dict[Individual, list[TargetId]]:
        """Return the tests of the archive with the targets that their responses cover.

        Targets of probes are left out.
        """
        found: dict[Individual, list[TargetId]] = {}
        for target, evaluation in self.archive.covered.items():
            if kind_of(target) in (FAULT, STATUS):
                found.setdefault(evaluation.individual, []).append(target)
        return found

    def _report(self, observation: Observation, newly: Sequence[TargetId]) -> None:
        if newly:
            self._note_progress()
        for fault in observation.faults:
            if self.statistics.note_fault(fault, observation.exchanges):
                self._announce(fault)
        if self.announcements.is_due(self.meter.elapsed):
            self._emit_progress()

    def _note_progress(self) -> None:
        covered = len(self.archive.covered)
        self.statistics.timeline.append((self.meter.elapsed, self.evaluations, covered))

    def _announce(self, fault: Fault) -> None:
        event = FaultFound(fault.endpoint, fault.kind, fault.position, fault.message)
        self.announcements.send(event)

    def _emit_progress(self) -> None:
        elapsed = self.announcements.announced_at = self.meter.elapsed
        self.occasions.fence.run(JOURNAL, self.occasions.keep, otherwise=None)
        covered = len(self.archive.covered)
        share, left = self.announcements.forecast(min(1.0, self.share))
        progress = Progress(
            share=share,
            evaluations=self.evaluations,
            elapsed=elapsed,
            covered=covered,
            reached=covered + len(self.archive.best),
            known=self.source.known(),
            faults=len(self.statistics.faults),
            left=left,
        )
        self.announcements.send(progress)


def _is_refused(evaluation: Evaluation[Individual]) -> bool:
    """Say whether a call was refused because of its sender."""
    return any(map(turns_away, exchanges_of(evaluation)))
