"""Executes the tests of an archive once more, and takes each of their calls as a candidate test."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from statistics import fmean

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
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.losses import name_of
from pytest_evosearch.harvest.obstacles import HANGS
from pytest_evosearch.problem.http.doors.callers import sent_by_callers
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Fault
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.search.archive import Archive

FREEZING_GRACES = 2
"""Graces after which there is no time for a test that freezes: it takes the time of many."""

INDIVIDUALS_A_TEST = 3
"""Tests of the archive that are looked at for each that is written: others cover the same."""


@dataclass
class Seen:
    """What the tests of an archive showed when they were executed again."""

    happened: set[TargetId] = field(default_factory=set)
    """What they cover."""
    bodies: list[tuple[str, Response]] = field(default_factory=list)
    """Endpoints and their responses."""
    quiet: dict[TargetId, tuple[Candidate, Fault]] = field(default_factory=dict)
    """Faults that are no crashes, each with the shortest test that shows it."""


@dataclass
class CandidateSource:
    """Finds the candidates of one archive; what learns from executions learns from these."""

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
    """Test of the archive, by its identity -> the goals that it is held for."""

    @property
    def goals(self) -> frozenset[TargetId]:
        """Targets for which a test is worth writing, without those that only guide to rows."""
        return frozenset(one for one in self.archive.covered if kind_of(one) not in GUIDES)

    def candidates(self) -> list[Candidate]:
        """Return each call that covers a goal, for which there is time to look at it."""
        goals = self.goals
        found: list[Candidate] = []
        begun_with = self.allotment.left()
        short = self.background.finished.individuals
        others = sorted(self._affordable_individuals(), key=self.allowance.pace)
        for place, individual in enumerate((*short, *others)):
            if self._only_hangs(individual):
                continue
            # What short forms cover needs no other test.
            may_skip = bool(short) and place >= len(short)
            is_late = self.allotment.is_half_over(begun_with)
            if (may_skip or is_late) and self._is_skipped(individual):
                continue
            evaluation = self.executions.fully(individual)
            observation = observed(evaluation.evaluation)
            self._note(individual, evaluation)
            self._note_quiet_faults(individual, observation)
            found += _candidates_of(individual, evaluation, goals - _quiet_targets(observation))
        return found

    def _note(self, individual: Individual, evaluation: FullEvaluation[Individual]) -> None:
        exchanges = exchanges_of(evaluation.evaluation)
        self.seen.happened.update(*evaluation.covered_by_call)
        self._note_bodies(exchanges)
        self.aftermath.note(individual, exchanges)
        self.background.keys.note(individual, exchanges)
        self.tokens.note(individual, exchanges)
        self.made.note(individual, exchanges)

    def _note_bodies(self, exchanges: tuple[Exchange, ...]) -> None:
        for exchange in exchanges:
            if exchange.response is not None:
                self.seen.bodies.append((exchange.request.endpoint, exchange.response))

    def _note_quiet_faults(self, individual: Individual, observation: Observation) -> None:
        for fault in observation.faults:
            if not fault.is_failure and self.archive.is_covered(fault.target):
                targets = frozenset((fault.target,))
                candidate = Candidate(individual, fault.call, targets, False)
                known = self.seen.quiet.get(fault.target)
                if known is None or candidate.cost < known[0].cost:
                    self.seen.quiet[fault.target] = (candidate, fault)

    def _only_hangs(self, individual: Individual) -> bool:
        """Say whether a test shows nothing but a call that does not end."""
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
        """Return the goals that the archive holds a test for."""
        return set(self._goals_of.get(id(individual), ()))

    def _is_skipped(self, individual: Individual) -> bool:
        """Say whether others cover what a test covers in the archive, or there is no time."""
        lacking = self._held(individual) - self.seen.happened
        if lacking and self.allotment.is_closed(FREEZING_GRACES):
            self.losses.give_up(individual, lacking)
            return True
        return not lacking

    def _quick(self, held: Mapping[int, Sequence[TargetId]]) -> set[int]:
        """Return which of the tests that hold targets take far less than the others."""
        tests = {one: self.archive.covered[held[one][0]].individual for one in held}
        expected = self.allowance.expected_seconds
        seconds = fmean(expected(individual) for individual in tests.values())
        return {one for one in tests if self.allowance.is_quick(tests[one], seconds)}

    def _affordable_individuals(self) -> list[Individual]:
        """Return the archive's individuals, each once, in the order of their first target.

        One that sends the keys of a caller comes as a test of that user, too.  Where there are far
        more than there will be tests, quick ones are taken, then those that show faults, then those
        that hold most.
        """
        held = self._goals_of = {}
        for target in sorted(self.goals):
            individual = self.archive.covered[target].individual
            held.setdefault(id(individual), []).append(target)
        most = INDIVIDUALS_A_TEST * self.allowance.most_tests(None)
        if len(held) > most:
            quick = self._quick(held)
            order = sorted(held, key=lambda one: (one in quick, weight(held[one])), reverse=True)
            for one in order[int(most) :]:
                self.losses.give_up(self.archive.covered[held[one][0]].individual, held[one])
            taken = set(order[: int(most)])
            held = {one: targets for one, targets in held.items() if one in taken}
        found: dict[Individual, None] = {}
        for targets in held.values():
            individual = self.archive.covered[targets[0]].individual
            found[sent_by_callers(individual, self.background.callers)] = None
            found[individual] = None
        return list(found)


def weight(targets: Collection[TargetId]) -> tuple[bool, int]:
    """Return what a test that alone covers `targets` is worth: faults weigh most."""
    return any(kind_of(target) == FAULT for target in targets), len(targets)


def _candidates_of(
    individual: Individual, evaluation: FullEvaluation[Individual], goals: frozenset[TargetId]
) -> Iterator[Candidate]:
    """Yield the calls of an executed test that cover some of the goals."""
    exchanges = exchanges_of(evaluation.evaluation)
    for act, covered in enumerate(evaluation.covered_by_call):
        targets = _vouched_for(covered & goals)
        if targets:
            broken = any(exchange.is_broken for exchange in exchanges[:act])
            slept = sum(exchange.slept for exchange in exchanges[: act + 1])
            froze = any(exchange.frozen for exchange in exchanges[: act + 1])
            yield Candidate(individual, act, targets, broken, slept, froze)


def _vouched_for(covered: frozenset[TargetId]) -> frozenset[TargetId]:
    """Return what a test answers for: where a call crashes, that fault and nothing else.

    A test that is expected to fail asserts nothing about the way to the crash.  So the shortest
    request that shows the fault is its test, and what it happened to cover is for the others.
    """
    faults = frozenset(target for target in covered if kind_of(target) == FAULT)
    return faults or covered


def _quiet_targets(observation: Observation) -> frozenset[TargetId]:
    faults = observation.faults
    return frozenset(one.target for one in faults if not one.is_failure)
