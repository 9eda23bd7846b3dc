"""From the archive to the tests worth writing.

    1. every distinct individual of the archive is executed with all probes armed, call by call
    2. each (individual, call) is a candidate test: that call is the act, the calls before it
       arrange; it answers for the targets that the act covers
    3. a small set of candidates covers everything (greedy set cover, short tests first)
    4. each chosen one is truncated after its act and minimised: calls, inputs, values (what only
       prepares first, `engine.served_calls`); it answers for what it alone covers, and for what
       would get lost otherwise
    5. numbers in its last call become telling (`engine.telling_numbers`), and rows are added at the
       boundaries that these are compared with (`engine.boundaries`)
    6. it is repeated under a moved clock and another random seed, to know its unstable facts
    7. a test whose targets and effects others show as well, be it while they arrange, is left out

Invariant: a target leaves the list of what is still to be covered only when a test that was
executed in its final form covers it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.aftermath import Aftermath
from pytest_evosearch.engine.aftermath import Shown
from pytest_evosearch.engine.boundaries import Boundaries
from pytest_evosearch.engine.duties import Candidate
from pytest_evosearch.engine.duties import exclusive_duties
from pytest_evosearch.engine.duties import needed
from pytest_evosearch.engine.duties import union
from pytest_evosearch.engine.fetched_keys import FetchedKeys
from pytest_evosearch.engine.habits import habitual
from pytest_evosearch.engine.links import without_incredible_links
from pytest_evosearch.engine.permanence import HARMFUL
from pytest_evosearch.engine.permanence import InProcess
from pytest_evosearch.engine.served_calls import ServedCalls
from pytest_evosearch.engine.telling_numbers import Result
from pytest_evosearch.engine.telling_numbers import TellingNumbers
from pytest_evosearch.execution.base import FullEvaluation
from pytest_evosearch.execution.conditions import OTHER_SEEDS
from pytest_evosearch.execution.conditions import other_randomness
from pytest_evosearch.execution.http import LONGEST_SLEEP
from pytest_evosearch.execution.http import HttpExecutor
from pytest_evosearch.execution.http import takes_too_long
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.minimize.failed_variants import FailedVariants
from pytest_evosearch.minimize.individual import as_users
from pytest_evosearch.minimize.individual import likely_cores
from pytest_evosearch.minimize.individual import minimize_individual
from pytest_evosearch.minimize.individual import with_late_reads
from pytest_evosearch.minimize.stability import Stability
from pytest_evosearch.minimize.stability import corrected
from pytest_evosearch.minimize.suite import smallest_suite
from pytest_evosearch.minimize.unstable import RANDOM
from pytest_evosearch.minimize.unstable import TEXT
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.minimize.unstable import Repetition
from pytest_evosearch.minimize.unstable import unstable_facts
from pytest_evosearch.oracles.injection import PathTraversalOracle
from pytest_evosearch.oracles.server_error import lacks_service
from pytest_evosearch.oracles.server_error import meets_ended_transaction
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.problem.http.exchange import Observation
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.write.specimen import Corpus
from pytest_evosearch.write.specimen import FollowUp
from pytest_evosearch.write.specimen import Specimen

UNSEEN = "unseen"
"""Kind of the expectation that no response can meet or fail."""

NOT_SHOWN = "no response shows this fault, so that no test can assert it: see the report"

MOST_ROUNDS = 3
"""Times that lost targets are given to somebody: the last rounds find next to nothing."""

FEWEST_EXECUTIONS = 12
"""Executions that each test should have to itself: with three it keeps what it does not need."""


@dataclass
class Harvest:
    """Selects, minimises and double-checks the tests of an archive."""

    executor: HttpExecutor
    archive: Archive[Individual]
    time_left: Callable[[], float]
    """Seconds, infinite without a limit; asked between executions: without time minimisation is cut
    short, and nothing is lost."""
    limit: int
    """Executions that the minimisation of one test may cost; most need about forty."""
    tell: Callable[[int, int], None] = lambda _done, _all: None
    """Told before each test is minimised how many are done, and how many there are."""
    users: Sequence[str] = ()
    """Names of those whom the project logs in."""
    keys: FetchedKeys = field(default_factory=FetchedKeys)
    """What tests fetch instead of sending it as a literal."""
    stability: Stability | None = None
    """What the project says of values in answers; None where it says nothing."""
    overtime: float = 0.0
    """Seconds more that may be taken where there are many tests of a slow application."""
    permanence: InProcess = field(default_factory=InProcess)
    """What tests can count on."""
    executions: int = 0
    _extra: float = 0.0
    """Seconds of `overtime` that are needed."""
    _reserved: float = 0.0
    """Seconds that the tests which are still to be minimised have to themselves."""
    dropped: list[DroppedRow] = field(default_factory=list)
    _happened: set[TargetId] = field(default_factory=set)
    """What the tests of the archive cover when they are executed again."""
    _seen: list[tuple[str, Response]] = field(default_factory=list)
    _served: ServedCalls = field(default_factory=ServedCalls)
    _failed: FailedVariants = field(default_factory=FailedVariants)
    _aftermath: Aftermath = field(init=False)
    _quiet: dict[TargetId, tuple[Candidate, Fault]] = field(default_factory=dict)
    """Faults that are no crashes, each with the shortest test that shows it."""

    def __post_init__(self) -> None:
        """Look for reads with the same executor, and count what that costs."""
        self._aftermath = Aftermath(self._execute)

    def out_of_time(self) -> bool:
        """Say whether there is no time for anything more."""
        return self._left() <= 0

    def _left(self) -> float:
        return self.time_left() + self._extra

    def corpus(self) -> Corpus:
        """Return the bodies seen per endpoint: what a distinctive text must not occur in."""
        return Corpus.of(self._seen)

    def specimens(self) -> list[Specimen]:
        """Return the minimised tests with their unstable facts, in a stable order."""
        before = self.time_left()
        candidates = self._candidates()
        spent = before - self.time_left() if math.isfinite(before) else 0.0
        if self.permanence.lost and self._happened:  # else the server is gone, which is told
            self._drop_lost()
        chosen = smallest_suite(
            {index: candidate.targets for index, candidate in enumerate(candidates)},
            lambda index: candidates[index].cost,
        )
        self._allow_overtime(len(chosen), spent / max(1, self.executions))
        chosen.sort(key=lambda index: candidates[index].cost)
        found = []
        plain = []
        results = self._evaluations([candidates[index] for index in chosen])
        numbers = TellingNumbers(self._execute, self.out_of_time)
        added: list[Result] = []
        if not self.permanence.lost:
            results = numbers.improved(results)
            limits = Boundaries(self._execute, self._compared, self.out_of_time)
            added = [*numbers.added, *limits.added([*results, *numbers.added])]
        for evaluation, duty in results:
            specimen = self._shown(evaluation, duty) or self._specimen(evaluation, duty)
            if specimen is not None:
                found.append(specimen)
                plain.append(partial(self._specimen, evaluation, duty))
        for place in habitual(found):
            found[place] = plain[place]() or found[place]
        kept = needed(found, frozenset(self.archive.covered))
        more = (self._shown(*one) or self._specimen(*one) for one in added)
        return [*kept, *filter(None, more), *self._quiet_specimens()]

    def _allow_overtime(self, tests: int, seconds: float) -> None:
        """Take as much overtime as `tests` need where one execution takes so many seconds."""
        wanted = FEWEST_EXECUTIONS * tests * seconds
        if math.isfinite(self.time_left()):
            self._extra = min(self.overtime, max(0.0, wanted - self.time_left()))

    def _quiet_specimens(self) -> Iterator[Specimen]:
        """Yield a test of its own for each fault that is no crash.

        The same call may be a fine test of what the application does otherwise, so such
        faults are nobody else's duty.
        """
        for target in sorted(self._quiet):
            candidate, fault = self._quiet[target]
            if fault.expectation.kind == UNSEEN:
                self.dropped.append(DroppedRow(target.removeprefix(f"{FAULT} "), NOT_SHOWN))
                continue
            evaluation = self._minimized(candidate, candidate.targets, set())
            specimen = self._specimen(evaluation, candidate.targets)
            if specimen is not None:
                shown = _fault_called(target, evaluation)
                yield replace(specimen, fault=shown or fault)

    @property
    def gone(self) -> frozenset[TargetId]:
        """Targets that no test of the archive has covered again; none where nothing happened."""
        return frozenset(self.archive.covered if self._happened else ()) - self._happened

    def _drop_lost(self) -> None:
        """Say of which targets there is no test: nothing covers them any more, or nothing may."""
        foregone = set(self.permanence.foregone) - self.archive.covered.keys()
        self.dropped += [DroppedRow(target, self.permanence.lost) for target in sorted(self.gone)]
        self.dropped += [DroppedRow(target, HARMFUL) for target in sorted(foregone)]

    def _note_quiet_faults(self, individual: Individual, observation: Observation) -> None:
        for fault in observation.faults:
            if not fault.is_failure and self.archive.is_covered(fault.target):
                targets = frozenset((fault.target,))
                candidate = Candidate(individual, fault.call, targets, False)
                known = self._quiet.get(fault.target)
                if known is None or candidate.cost < known[0].cost:
                    self._quiet[fault.target] = (candidate, fault)

    def _evaluations(self, chosen: list[Candidate]) -> list[Result]:
        """Minimise each chosen candidate to what only it covers, then see to what got lost.

        What several candidates cover stands in nobody's way at first; mostly it is still
        covered in the end.  The rest falls to the shortest test that had it.
        """
        duties = exclusive_duties(chosen)
        refused: list[set[Individual]] = [set() for _ in chosen]
        results: list[FullEvaluation[Individual]] = []
        for place, candidate in enumerate(chosen):
            self.tell(len(results), len(chosen))
            self._reserve(len(chosen) - place - 1)
            results.append(self._minimized(candidate, duties[place], refused[place]))
        for _ in range(MOST_ROUNDS):
            lost = union(one.targets for one in chosen) - union(one.covered for one in results)
            if not lost:
                break
            for place, candidate in enumerate(chosen):
                added = candidate.targets & lost
                if added:
                    lost -= added
                    duties[place] |= added
                    results[place] = self._minimized(candidate, duties[place], refused[place])
        lost = union(one.targets for one in chosen) - union(one.covered for one in results)
        for candidate in chosen:
            if candidate.targets & lost:
                duties.append(candidate.targets & lost)
                results.append(self._minimized(candidate, duties[-1], set()))
                lost -= results[-1].covered
        return list(zip(results, duties, strict=True))

    def _reserve(self, others: int) -> None:
        """Keep the time of `others` tests back, each as much as the one that is next gets.

        So each test loses the calls that it does not need before any is polished.
        """
        left = self._left()
        self._reserved = left * others / (others + 1) if math.isfinite(left) else 0.0

    def _is_next_ones_turn(self) -> bool:
        """Say whether the time of the test that is being minimised is over."""
        return self._left() <= self._reserved

    def _candidates(self) -> list[Candidate]:
        goals = frozenset(self.archive.covered)
        found: list[Candidate] = []
        for individual in self._distinct_individuals():
            evaluation = self._execute(individual)
            exchanges = _exchanges_of(evaluation)
            self._happened.update(*evaluation.covered_by_call)
            self._note_bodies(exchanges)
            self._aftermath.note(individual, exchanges)
            self.keys.note(individual, exchanges)
            observation = evaluation.evaluation.observation
            assert isinstance(observation, Observation)
            self._note_quiet_faults(individual, observation)
            quiet = _quiet_targets(observation)
            for act, covered in enumerate(evaluation.covered_by_call):
                targets = _vouched_for((covered & goals) - quiet)
                if targets:
                    broken = any(_is_broken(exchange) for exchange in exchanges[:act])
                    slept = sum(exchange.slept for exchange in exchanges[: act + 1])
                    found.append(Candidate(individual, act, targets, broken, slept))
        return found

    def _note_bodies(self, exchanges: tuple[Exchange, ...]) -> None:
        for exchange in exchanges:
            if exchange.response is not None:
                self._seen.append((exchange.request.endpoint, exchange.response))

    def _distinct_individuals(self) -> list[Individual]:
        """Return the archive's individuals, each once, in the order of their first target."""
        seen: dict[int, Individual] = {}
        for target in sorted(self.archive.covered):
            individual = self.archive.covered[target].individual
            seen.setdefault(id(individual), individual)
        return list(seen.values())

    def _execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executions += 1
        return self.executor.evaluate_fully(individual)

    def _compared(self, individual: Individual) -> Sequence[Comparison]:
        self.executions += 1
        observation = self.executor.evaluate(individual, guided=True).observation
        assert isinstance(observation, Observation)
        return observation.guidance

    def _answers(self, individual: Individual) -> tuple[Exchange, ...]:
        return _exchanges_of(self._execute(individual))

    def _minimized(
        self, candidate: Candidate, duty: frozenset[TargetId], refused: set[Individual]
    ) -> FullEvaluation[Individual]:
        """Return the simplest form of a candidate that covers its duty.

        `refused` remembers what did not do: with a larger duty it will not do either.
        """
        truncated = Individual(candidate.individual.calls[: candidate.act + 1])
        best = self._execute(truncated)
        if takes_too_long(_exchanges_of(best)):
            return best  # no test comes of it, and every attempt would take as long

        def suffices(attempt: Individual) -> bool:
            nonlocal best
            if attempt in refused:
                return False
            for _ in range(self.permanence.attempts):
                evaluation = self._execute(attempt)
                exchanges = _exchanges_of(evaluation)
                intact = not any(_is_broken(exchange) for exchange in exchanges[:-1])
                if not intact or not duty <= evaluation.covered_by_call[-1]:
                    refused.add(attempt)
                    return False
            best = evaluation
            return True

        attempts = 0

        def keeps(attempt: Individual) -> bool:
            nonlocal attempts
            attempts += 1
            if self._is_next_ones_turn():
                attempts = self.limit  # not everything was tried
                return False
            return suffices(attempt)

        def preferred(
            one: Individual, other: Individual, does: Callable[[Individual], bool] = suffices
        ) -> Individual:
            return other if other != one and does(other) else one

        # With two calls that crash, leaving out one of them at a time is never good enough.
        truncated = preferred(truncated, _without_broken_calls(truncated, _exchanges_of(best)))
        # Before calls go: a link whose call is gone sends what it falls back to, here the key.
        truncated = preferred(truncated, self.keys.fetched(truncated))
        start = next((core for core in likely_cores(truncated) if suffices(core)), truncated)
        # A link that is cut becomes a literal, which may be a key.
        plain = self.keys.fetched(without_incredible_links(start, _exchanges_of(best)))
        start = preferred(start, plain, keeps)
        start = preferred(start, with_late_reads(start))
        start = next((one for one in as_users(start, self.users) if keeps(one)), start)
        next_ones_turn = self._is_next_ones_turn
        for beginning in self._served.unknown(start, _exchanges_of(best)):
            self._served.learn(
                beginning, _exchanges_of(best), self._answers, self.limit, next_ones_turn
            )
        start = self._served.prepared(start, _exchanges_of(best), keeps)
        settled = self._served.settled(start, _exchanges_of(best))
        minimize_individual(start, keeps, self.limit, settled, self._failed, next_ones_turn)
        polished = attempts < self.limit and not next_ones_turn()
        self._served.note(best.evaluation.individual, _exchanges_of(best), polished)
        return best

    def _shown(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        """Return the test with a read that shows its effect, None where nothing does."""
        if self.out_of_time() or _fault_of(evaluation, duty) is not None:
            return None
        shown = self._aftermath.shown(evaluation, duty)
        if shown is None:
            return None
        exchanges = _exchanges_of(shown.evaluation)
        obstacle = _obstacle(exchanges) or self.permanence.obstacle(exchanges)
        if obstacle or _side_effect(shown.evaluation):
            return None
        unstable, again = self._unstable(shown.evaluation, exchanges)
        if _unstable_status(unstable):
            return None
        return Specimen(
            exchanges=exchanges[:-1],
            targets=duty,
            unstable=unstable,
            covered=shown.evaluation.covered,
            again=again,
            follow_up=FollowUp(exchanges[-1], _text_before(shown)),
            created=shown.evaluation.created,
            keeps_context=shown.evaluation.keeps_context,
        )

    def _specimen(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        exchanges = _exchanges_of(evaluation)
        name = " then ".join(exchange.request.endpoint for exchange in exchanges)
        fault = _fault_of(evaluation, duty)
        obstacle = _obstacle(exchanges) or _side_effect(evaluation) or _missing_service(exchanges)
        obstacle = obstacle or self.permanence.obstacle(exchanges)
        if obstacle is None and fault is None:
            obstacle = _foreign_file(evaluation)
        if obstacle is None:
            unstable, again = self._unstable(evaluation, exchanges)
            obstacle = _unstable_status(unstable)
        if obstacle is not None:
            self.dropped.append(DroppedRow(name, obstacle))
            return None
        return Specimen(
            exchanges=exchanges,
            targets=duty,
            unstable=unstable,
            fault=fault,
            covered=evaluation.covered,
            again=again,
            created=evaluation.created,
            keeps_context=evaluation.keeps_context,
        )

    def _unstable(
        self, evaluation: FullEvaluation[Individual], exchanges: tuple[Exchange, ...]
    ) -> tuple[Mapping[tuple[int, FactPath], str], Mapping[int, tuple[str, ...]]]:
        """Return the unstable facts, and the other pages of those whose text is one."""
        individual = evaluation.evaluation.individual
        repeated = [
            Repetition(name, self._repeat(individual, condition))
            for name, condition in self.permanence.conditions
        ]
        if self.executor.drew_random_numbers:
            for seed in OTHER_SEEDS:
                exchanges_then = self._repeat(individual, other_randomness(seed))
                repeated.append(Repetition(RANDOM, exchanges_then))
        unstable = unstable_facts(exchanges, repeated)
        if self.stability is not None:
            unstable = corrected(unstable, exchanges, self.stability)
        return unstable, {call: _pages(repeated, call) for call, fact in unstable if fact == TEXT}

    def _repeat(
        self, individual: Individual, condition: Callable[[], AbstractContextManager[None]]
    ) -> tuple[Exchange, ...]:
        self.executions += 1
        return self.executor.repeat(individual, condition)


def _pages(repeated: Iterable[Repetition], call: int) -> tuple[str, ...]:
    responses = [one.exchanges[call].response for one in repeated if call < len(one.exchanges)]
    return tuple(dict.fromkeys(one.text for one in responses if one is not None))


def _text_before(shown: Shown) -> str:
    return shown.before.response.text if shown.before.response is not None else ""


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


def _fault_called(target: TargetId, evaluation: FullEvaluation[Individual]) -> Fault | None:
    observation = evaluation.evaluation.observation
    assert isinstance(observation, Observation)
    return next((fault for fault in observation.faults if fault.target == target), None)


def _exchanges_of(evaluation: FullEvaluation[Individual]) -> tuple[Exchange, ...]:
    return _observed(evaluation).exchanges


def _observed(evaluation: FullEvaluation[Individual]) -> Observation:
    observation = evaluation.evaluation.observation
    assert isinstance(observation, Observation)
    return observation


def _is_broken(exchange: Exchange) -> bool:
    return exchange.crash is not None or exchange.frozen or not exchange.sent


def _without_broken_calls(individual: Individual, exchanges: Sequence[Exchange]) -> Individual:
    """Leave out every call before the last one that crashed or did not end."""
    *before, act = zip(individual.calls, exchanges, strict=False)
    kept = (call for call, exchange in before if not _is_broken(exchange))
    return Individual((*kept, act[0]))


def _interrupts(exchange: Exchange) -> bool:
    return exchange.crash is not None and exchange.crash.type_name == "KeyboardInterrupt"


def _obstacle(exchanges: tuple[Exchange, ...]) -> str | None:
    """Return why these exchanges cannot become a test, or None."""
    if any(exchange.died for exchange in exchanges):
        return "a call ends the process, so the test would end the run of the tests"
    if any(exchange.crash and exchange.crash.exhausts_memory for exchange in exchanges):
        return "a call asks for so much memory that the test might end the run of the tests"
    if any(exchange.frozen for exchange in exchanges):
        return "a call does not end within the time limit, so the test would hang"
    if any(_interrupts(exchange) for exchange in exchanges):
        return "the handler raises KeyboardInterrupt, which would end the run of the tests"
    if any(_is_broken(exchange) for exchange in exchanges[:-1]):
        return "it needs an earlier call that crashes"
    slept = sum(exchange.slept for exchange in exchanges)
    if slept > LONGEST_SLEEP:
        return f"the handlers sleep {slept:.1f} seconds"
    if not exchanges[-1].sent:
        return "the test client refuses to send the request"
    return None


def _missing_service(exchanges: tuple[Exchange, ...]) -> str | None:
    """Return what the last call needs and is not there, or None."""
    last = exchanges[-1]
    if meets_ended_transaction(last):
        return "an earlier call ends the transaction that a fixture of the project holds open"
    if not lacks_service(last):
        return None
    crash = last.crash
    said = f"{crash.type_name}: {crash.message}" if crash else f"answered {last.status}"
    return f"a service that it needs is not there: {said}"


def _side_effect(evaluation: FullEvaluation[Individual]) -> str | None:
    """Return what the test would do besides testing, or None: to others of its run, or for good."""
    if evaluation.harms:
        return f"run for real it would {' and '.join(evaluation.harms)}"
    if evaluation.disturbances:
        return f"it {' and '.join(evaluation.disturbances)}, which other tests share"
    return None


def _foreign_file(evaluation: FullEvaluation[Individual]) -> str | None:
    """Return which file outside of its folder a call has opened, or None.

    What is in it, or whether it is there, is another matter on another machine.
    """
    found = [one for one in _observed(evaluation).faults if one.code == PathTraversalOracle.code]
    return f"it depends on this machine: {found[0].message}" if found else None


def _unstable_status(unstable: Mapping[tuple[int, tuple[str | int, ...]], str]) -> str | None:
    reasons = [reason for (_call, fact), reason in unstable.items() if fact == ("status",)]
    return f"unstable: its status {reasons[0]}" if reasons else None


def _fault_of(evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]) -> Fault | None:
    observation = _observed(evaluation)
    last = len(observation.exchanges) - 1
    faults = [fault for fault in observation.faults if fault.call == last and fault.is_failure]
    wanted = [fault for fault in faults if fault.target in duty or kind_of(fault.target) == FAULT]
    return wanted[0] if wanted else None
