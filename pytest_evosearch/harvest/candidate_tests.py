"""Executes the tests of an archive again, and makes a candidate test of each of their calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import GUIDES
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.aftermath import Aftermath
from pytest_evosearch.harvest.allotment import Allotment
from pytest_evosearch.harvest.arranging.made_rows import MadeRows
from pytest_evosearch.harvest.arranging.reissued_tokens import ReissuedTokens
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.harvest.background import Background
from pytest_evosearch.harvest.duties import Candidate
from pytest_evosearch.harvest.executions import Executions
from pytest_evosearch.harvest.losses import INTERNAL_ERROR
from pytest_evosearch.harvest.losses import ONE_TEST
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.losses import name_of
from pytest_evosearch.harvest.obstacles import HANGS
from pytest_evosearch.harvest.obstacles import missing_table
from pytest_evosearch.problem.http.doors.callers import sent_by_callers
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings.phase_shares import LEAST_TESTS
from pytest_evosearch.settings.time_plan import WRITING_EXECUTIONS

FREEZING_GRACES = 2
"""Graces after which a test that freezes is not tried: it takes the time of many tests."""

INDIVIDUALS_A_TEST = 3
"""Tests of the archive that are executed for each written test: many cover equal targets."""


@dataclass
class Seen:
    """The results of executing the tests of an archive again."""

    happened: set[TargetId] = field(default_factory=set)
    """Covered targets."""
    exchanges: list[Exchange] = field(default_factory=list)
    """All calls and their responses."""
    tests: list[FullEvaluation[Individual]] = field(default_factory=list)
    """The executions that they come from."""
    before_faults: frozenset[TargetId] = frozenset()
    """Goals that only calls with a fault have covered."""
    quiet: dict[TargetId, tuple[Candidate, Fault]] = field(default_factory=dict)
    """Faults without a crash, each with the shortest test that shows it."""


@dataclass
class CandidateSource:
    """Finds the candidates of one archive; learning components learn from its executions."""

    archive: Archive[Individual]
    executions: Executions
    allowance: Allowance
    allotment: Allotment
    background: Background
    losses: Losses
    aftermath: Aftermath
    tokens: ReissuedTokens
    made: MadeRows
    seen: Seen = field(default_factory=Seen)
    _goals_of: dict[int, list[TargetId]] = field(default_factory=dict)
    """Identity of an archive's test -> the goals that it is kept for."""

    @property
    def goals(self) -> frozenset[TargetId]:
        """Targets that deserve a test, without those that only guide to rows."""
        return frozenset(one for one in self.archive.covered if kind_of(one) not in GUIDES)

    def candidates(self) -> list[Candidate]:
        """Return each call that covers a goal, as far as there is time to execute it."""
        goals = self.goals
        found: list[Candidate] = []
        begun_with = self.allotment.left()
        short = self.background.finished.individuals
        others = sorted(self._affordable_individuals(), key=self.allowance.pace)
        for place, individual in enumerate((*short, *others)):
            if self._only_hangs(individual):
                continue
            # Targets of known short forms need no other test.
            may_skip = bool(short) and place >= len(short)
            is_late = self.allotment.is_half_over(begun_with) and len(found) >= LEAST_TESTS
            if (may_skip or is_late) and self._is_skipped(individual):
                continue
            run = self.background.fence.run
            evaluation = run(ONE_TEST, self.executions.fully, individual, otherwise=None)
            if evaluation is None:
                self.losses.drop(name_of(individual), INTERNAL_ERROR, self._held(individual))
                continue
            observation = observed(evaluation.evaluation)
            run(ONE_TEST, self._note, individual, evaluation, otherwise=None)
            self._note_quiet_faults(evaluation, observation)
            found += _candidates_of(individual, evaluation, goals - _quiet_targets(observation))
        vouched = frozenset().union(*(candidate.targets for candidate in found))
        self.seen.before_faults = (goals & self.seen.happened) - vouched - self.seen.quiet.keys()
        return found

    def _note(self, individual: Individual, evaluation: FullEvaluation[Individual]) -> None:
        exchanges = exchanges_of(evaluation.evaluation)
        self.seen.happened.update(*evaluation.covered_by_call)
        for exchange, covered in zip(exchanges, evaluation.covered_by_call, strict=False):
            if reason := missing_table(exchange):
                self.losses.untested.update(dict.fromkeys(covered, reason))
        self.seen.exchanges += exchanges
        self.seen.tests.append(evaluation)
        self.aftermath.note(individual, exchanges)
        self.background.keys.note(individual, exchanges)
        self.tokens.note(individual, exchanges)
        self.made.note(individual, exchanges)

    def _note_quiet_faults(
        self, evaluation: FullEvaluation[Individual], observation: Observation
    ) -> None:
        individual, last = evaluation.evaluation.individual, len(observation.exchanges) - 1
        for fault in observation.faults:
            if not fault.is_failure and self.archive.is_covered(fault.target):
                targets = frozenset((fault.target,))
                executed = evaluation if fault.call == last else None
                candidate = Candidate(individual, fault.call, targets, False, executed=executed)
                known = self.seen.quiet.get(fault.target)
                if known is None or candidate.cost < known[0].cost:
                    self.seen.quiet[fault.target] = (candidate, fault)

    def _only_hangs(self, individual: Individual) -> bool:
        """Say whether a test only shows a call that does not end."""
        freezes = self.background.freezes
        if not freezes:
            return False
        held = self._held(individual)
        if not held or not held <= freezes:
            return False
        self.seen.happened |= held
        self.losses.drop(name_of(individual), HANGS, held)
        return True

    def _held(self, individual: Individual) -> set[TargetId]:
        """Return the goals for which the archive holds a test."""
        return set(self._goals_of.get(id(individual), ()))

    def _is_skipped(self, individual: Individual) -> bool:
        """Say whether to skip a test: others cover its targets, or there is no time."""
        lacking = self._held(individual) - self.seen.happened
        if lacking and self.allotment.is_closed(FREEZING_GRACES):
            self.losses.give_up(individual, lacking)
            return True
        return not lacking

    def _affordable_individuals(self) -> list[Individual]:
        """Return the individuals to execute, each once, in the order of their first target.

        One with the keys of a caller is returned a second time as a test of that user. When there
        are far more individuals than tests to write, those are returned that are most worth their
        time.
        """
        held = self._goals_of = {}
        for target in sorted(self.goals):
            individual = self.archive.covered[target].individual
            held.setdefault(id(individual), []).append(target)
        most = INDIVIDUALS_A_TEST * self.allowance.most_tests(WRITING_EXECUTIONS, None)
        if len(held) > most:
            tests = {one: self.archive.covered[held[one][0]].individual for one in held}
            worth = self.allowance.worth
            order = sorted(held, key=lambda one: worth(tests[one], held[one]), reverse=True)
            for one in order[int(most) :]:
                self.losses.give_up(tests[one], held[one])
            taken = set(order[: int(most)])
            held = {one: targets for one, targets in held.items() if one in taken}
        found: dict[Individual, None] = {}
        for targets in held.values():
            individual = self.archive.covered[targets[0]].individual
            found[sent_by_callers(individual, self.background.callers)] = None
            found[individual] = None
        return list(found)


def _candidates_of(
    individual: Individual, evaluation: FullEvaluation[Individual], goals: frozenset[TargetId]
) -> Iterator[Candidate]:
    """Yield the calls of an executed test that cover some goals."""
    exchanges = exchanges_of(evaluation.evaluation)
    for act, covered in enumerate(evaluation.covered_by_call):
        targets = _vouched_for(covered & goals)
        if exchanges[act].done_without:
            return  # what follows it is no better
        if targets:
            broken = any(exchange.is_broken for exchange in exchanges[:act])
            slept = sum(exchange.slept for exchange in exchanges[: act + 1])
            froze = any(exchange.frozen for exchange in exchanges[: act + 1])
            executed = evaluation if act == len(exchanges) - 1 else None
            yield Candidate(individual, act, targets, broken, slept, froze, executed)


def _vouched_for(covered: frozenset[TargetId]) -> frozenset[TargetId]:
    """Return the targets that a test vouches for: only the fault where a call crashes.

    A test that is expected to fail asserts nothing about the code before the crash. So the shortest
    request that shows the fault is its test, and other tests must cover that code.
    """
    faults = frozenset(target for target in covered if kind_of(target) == FAULT)
    return faults or covered


def _quiet_targets(observation: Observation) -> frozenset[TargetId]:
    faults = observation.faults
    return frozenset(one.target for one in faults if not one.is_failure)
