"""From the archive to the tests worth writing.

    1. every distinct individual of the archive is executed with all probes armed, call by call
    2. each (individual, call) is a candidate test: that call is the act, the calls before it
       arrange; it answers for the targets that the act covers
    3. a small set of candidates covers everything (greedy set cover, short tests first)
    4. each chosen one is truncated after its act and minimised: calls, inputs, values (what only
       prepares first, `harvest.served_calls`); it answers for what it alone covers, and for what
       would get lost otherwise
    5. its texts become readable (`harvest.readable_texts`) and numbers in its last call telling
       (`harvest.telling_numbers`); rows are added at the boundaries of both (`harvest.boundaries`)
    6. it is repeated under other circumstances, to know its unstable facts (`harvest.instability`)
    7. a test whose targets and effects others show as well, be it while they arrange, is left out

Invariant: a target leaves the list of what is still to be covered only when a test that was
executed in its final form covers it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import GUIDES
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.base import FullEvaluation
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.harvest.aftermath import Aftermath
from pytest_evosearch.harvest.aftermath import Shown
from pytest_evosearch.harvest.allotment import Allotment
from pytest_evosearch.harvest.boundaries import Boundaries
from pytest_evosearch.harvest.duties import Candidate
from pytest_evosearch.harvest.duties import distinct
from pytest_evosearch.harvest.duties import exclusive_duties
from pytest_evosearch.harvest.duties import needed
from pytest_evosearch.harvest.duties import union
from pytest_evosearch.harvest.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.habits import habitual
from pytest_evosearch.harvest.instability import FEWEST_REPETITIONS
from pytest_evosearch.harvest.instability import Instability
from pytest_evosearch.harvest.obstacles import HANGS
from pytest_evosearch.harvest.obstacles import foreign_file
from pytest_evosearch.harvest.obstacles import missing_service
from pytest_evosearch.harvest.obstacles import obstacle_of_calls
from pytest_evosearch.harvest.obstacles import side_effect
from pytest_evosearch.harvest.obstacles import unstable_status
from pytest_evosearch.harvest.permanence import HARMFUL
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.harvest.quantities import Described
from pytest_evosearch.harvest.quantities import nothing_described
from pytest_evosearch.harvest.readable_texts import ReadableTexts
from pytest_evosearch.harvest.reduction import Reduction
from pytest_evosearch.harvest.reissued_tokens import ReissuedTokens
from pytest_evosearch.harvest.telling_numbers import Result
from pytest_evosearch.harvest.telling_numbers import TellingNumbers
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.minimize.set_cover import smallest_suite
from pytest_evosearch.minimize.stability import Stability
from pytest_evosearch.minimize.stability import corrected
from pytest_evosearch.minimize.unstable import TEXT
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.minimize.unstable import Repetition
from pytest_evosearch.minimize.unstable import unstable_facts
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import sent_by_callers
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Fault
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

UNSEEN = "unseen"
"""Kind of the expectation that no response can meet or fail."""

NOT_SHOWN = "no response shows this fault, so that no test can assert it: see the report"

TOO_LATE = "there was no time to execute it once more"

NOT_AGAIN = (
    "it did not happen again when its requests were sent to the application in its initial state: "
    "an earlier call or a thread may have caused it"
)

INDIVIDUALS_A_TEST = 3
"""Tests of the archive that are looked at for each that is written: others cover the same."""
FREEZING_GRACES = 2
MOST_GRACES = 4
"""Graces after which there is no time for a test that freezes, or for any: even the cheapest step
of minimising takes one execution for each test, and many of a slow application would have no end.
"""

SLOW_SECONDS = 0.2
"""Tests that take as long more come after others: most take a hundredth."""

MOST_ROUNDS = 3
"""Times that lost targets are given to other tests: the last rounds find next to nothing."""


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
    callers: Mapping[str, Caller] = field(default_factory=dict)
    """Those whom the search has found, by the name of their user."""
    stability: Stability | None = None
    """What the project says of values in answers; None where it says nothing."""
    overtime: float = 0.0
    """Seconds more that may be taken where there are many tests of a slow application."""
    permanence: InProcess = field(default_factory=InProcess)
    """What tests can count on."""
    described: Described = nothing_described
    """What is known by now of the values that tests send."""
    grace: float = math.inf
    """Seconds in which the steps that are cheapest are still taken when time is over."""
    most_tests: Callable[[float | None], float] = lambda _seconds: math.inf
    """Tells for how many tests there is time, where one execution takes so many seconds; None for
    what it took in the search."""
    freezes: frozenset[TargetId] = frozenset()
    """Faults of calls that do not end, which are not executed again for their own sake."""
    expected_seconds: Callable[[Individual], float] = lambda _individual: 0.0
    """What executing a test takes, as far as is known; asked where there is a limit of time."""
    executions: int = 0
    dropped: list[DroppedRow] = field(default_factory=list)
    untested: dict[TargetId, str] = field(default_factory=dict)
    """Faults that a test showed again, and why that test is not written."""
    _happened: set[TargetId] = field(default_factory=set)
    """What the tests of the archive cover when they are executed again."""
    _seen: list[tuple[str, Response]] = field(default_factory=list)
    _aftermath: Aftermath = field(init=False)
    _allotment: Allotment = field(init=False)
    _tokens: ReissuedTokens = field(init=False)
    _reduction: Reduction = field(init=False)
    _instability: Instability = field(init=False)
    _texts: ReadableTexts = field(init=False)
    _quiet: dict[TargetId, tuple[Candidate, Fault]] = field(default_factory=dict)
    """Faults that are no crashes, each with the shortest test that shows it."""

    def __post_init__(self) -> None:
        """Reduce tests and look for reads with the same executor, and count what that costs."""
        self._aftermath = Aftermath(self._execute)
        self._allotment = Allotment(self.time_left, self.overtime, self.grace)
        self._texts = ReadableTexts(self._execute, self._allotment.is_over)
        self._tokens = ReissuedTokens(self.keys.constants)
        self._instability = Instability(
            self.executor,
            self.permanence.conditions,
            self._allotment.is_over,
            self._allotment.is_closed,
        )
        self._reduction = Reduction(
            self._execute,
            self._allotment,
            self.limit,
            repetitions=self.permanence.attempts,
            users=self.users,
            keys=self.keys,
            tokens=self._tokens,
        )

    def corpus(self) -> Corpus:
        """Return the bodies seen per endpoint: what a distinctive text must not occur in."""
        return Corpus.of(self._seen)

    def specimens(self) -> list[Specimen]:
        """Return the minimised tests with their unstable facts, in a stable order."""
        readable = self._with_texts(self._evaluations(self._chosen()))
        results, added = self._with_numbers(readable)
        self._allotment.give_back()
        kept = needed(self._without_habitual(results), self._goals)
        more = (self._shown(*one) or self._specimen(*one) for one in added)
        return distinct([*kept, *filter(None, more), *self._quiet_specimens()])

    def _chosen(self) -> list[Candidate]:
        """Return the candidates that are to become tests, short ones first, those that froze last.

        One that freezes takes the time of many others.
        """
        before = self.time_left()
        candidates = self._candidates()
        spent = before - self.time_left() if math.isfinite(before) else 0.0
        if self.permanence.lost and self._happened:  # else the server is gone, which is told
            self._drop_lost()
        chosen = smallest_suite(
            {index: candidate.targets for index, candidate in enumerate(candidates)},
            lambda index: candidates[index].cost,
        )
        each = spent / max(1, self.executions)
        taken = self._affordable([candidates[index] for index in chosen], each)
        self._allotment.extend(len(taken), each)
        self._allotment.keep_back(FEWEST_REPETITIONS * len(taken), each)
        return sorted(taken, key=lambda one: (one.froze, self._pace(one.individual), one.cost))

    def _affordable(self, chosen: list[Candidate], seconds: float) -> list[Candidate]:
        """Return as many candidates as there is time for, where one execution takes `seconds`.

        Those that show faults come first, then those that answer for most.
        """
        most = self.most_tests(seconds)
        if len(chosen) <= most:
            return chosen
        duties = exclusive_duties(chosen)
        places = range(len(chosen))
        order = sorted(places, key=lambda at: _weight(duties[at]), reverse=True)
        return self._without_the_late([chosen[at] for at in order], int(most))

    def _pace(self, individual: Individual) -> int:
        """Return how slow a test is; 0 for most, and for all where no clock decides.

        Where time may be too short for all, a slow test costs many others their turn.
        """
        if not math.isfinite(self.time_left()):
            return 0
        return int(self.expected_seconds(individual) / SLOW_SECONDS)

    def _with_numbers(self, results: list[Result]) -> tuple[list[Result], list[Result]]:
        """Return the tests with telling numbers, and those that are added for others."""
        if self.permanence.lost:
            return results, []
        numbers = TellingNumbers(self._execute, self._allotment.is_over)
        results = numbers.improved(results)
        is_over = self._allotment.is_over
        limits = Boundaries(self._execute, self._compared, is_over, self.described)
        return results, [*numbers.added, *limits.added([*results, *numbers.added])]

    def _with_texts(self, results: Sequence[Result]) -> list[Result]:
        """Return the tests with texts that a person might have typed."""
        if self.permanence.lost:
            return list(results)
        return self._texts.improved(results)

    def _without_habitual(self, results: list[Result]) -> list[Specimen]:
        """Return the specimens; a read that many tests would make shows the effect of none."""
        found = []
        plain = []
        for evaluation, duty in results:
            specimen = self._shown(evaluation, duty) or self._specimen(evaluation, duty)
            if specimen is not None:
                found.append(specimen)
                plain.append(partial(self._specimen, evaluation, duty))
        for place in habitual(found):
            found[place] = plain[place]() or found[place]
        return found

    def _quiet_specimens(self) -> Iterator[Specimen]:
        """Yield a test of its own for each fault that is no crash.

        The same call may be a fine test of what the application does otherwise, so such
        faults are the duty of no other test.
        """
        for target in sorted(self._quiet):
            candidate, fault = self._quiet[target]
            if fault.expectation.kind == UNSEEN:
                self.untested[target] = NOT_SHOWN  # the fault says so: there was no test to drop
                continue
            if self._allotment.is_closed(MOST_GRACES):
                self.dropped.append(DroppedRow(target.removeprefix(f"{FAULT} "), TOO_LATE))
                self.untested[target] = TOO_LATE
                continue
            hurries = self._allotment.is_closed()
            reduced = (
                self._reduction.truncated(candidate)
                if hurries
                else self._reduction.reduced(candidate, candidate.targets, set())
            )
            [(evaluation, _duty)] = self._with_texts([(reduced, candidate.targets)])
            specimen = self._specimen(evaluation, candidate.targets)
            if specimen is not None:
                shown = _fault_called(target, evaluation)
                yield replace(specimen, fault=shown or fault)

    def why_untested(self, target: TargetId) -> str:
        """Return why no test was made of the fault `target`, empty when one was."""
        if self.untested.get(target) == TOO_LATE:
            return TOO_LATE
        if target in self.gone or not self.archive.is_covered(target):
            return self.permanence.lost or NOT_AGAIN
        return self.untested.get(target, "")

    @property
    def gone(self) -> frozenset[TargetId]:
        """Targets that no test of the archive has covered again; none where nothing happened."""
        return frozenset(self._goals if self._happened else ()) - self._happened

    @property
    def _goals(self) -> frozenset[TargetId]:
        """Targets for which a test is worth writing, without those that only guide to rows."""
        return frozenset(one for one in self.archive.covered if kind_of(one) not in GUIDES)

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

        What several candidates cover is no obstacle at first; mostly it is still
        covered in the end.  The rest falls to the shortest test that had it.
        """
        duties = exclusive_duties(chosen)
        refused: list[set[Individual]] = [set() for _ in chosen]
        results: list[FullEvaluation[Individual]] = []
        reduced = self._reduction.reduced
        for place, candidate in enumerate(chosen):
            self.tell(len(results), len(chosen))
            self._allotment.reserve(len(chosen) - place - 1)
            if self._allotment.is_closed(FREEZING_GRACES if candidate.froze else MOST_GRACES):
                chosen = self._without_the_late(chosen, place)
                del duties[place:]
                break
            hurries = self._allotment.is_closed()
            results.append(
                self._reduction.truncated(candidate)
                if hurries
                else reduced(candidate, duties[place], refused[place])
            )
        for _ in range(MOST_ROUNDS):
            lost = _lost(chosen, results)
            for place, candidate in enumerate(chosen):
                added = candidate.targets & lost
                if added:
                    lost -= added
                    duties[place] |= added
                    results[place] = reduced(candidate, duties[place], refused[place])
        lost = _lost(chosen, results)
        for candidate in chosen:
            if candidate.targets & lost:
                duties.append(candidate.targets & lost)
                results.append(reduced(candidate, duties[-1], set()))
                lost -= results[-1].covered
        return list(zip(results, duties, strict=True))

    def _without_the_late(self, chosen: list[Candidate], place: int) -> list[Candidate]:
        """Drop the candidates from `place` on, for which there is no time."""
        for candidate in chosen[place:]:
            self._give_up(candidate.individual, candidate.targets)
        return chosen[:place]

    def _candidates(self) -> list[Candidate]:
        goals = self._goals
        found: list[Candidate] = []
        begun_with = self._allotment.left()
        for individual in sorted(self._affordable_individuals(), key=self._pace):
            if self._only_hangs(individual):
                continue
            if self._allotment.is_half_over(begun_with) and self._is_skipped(individual):
                continue
            evaluation = self._execute(individual)
            exchanges = exchanges_of(evaluation.evaluation)
            self._happened.update(*evaluation.covered_by_call)
            self._note_bodies(exchanges)
            self._aftermath.note(individual, exchanges)
            self.keys.note(individual, exchanges)
            self._tokens.note(individual, exchanges)
            observation = observed(evaluation.evaluation)
            self._note_quiet_faults(individual, observation)
            quiet = _quiet_targets(observation)
            for act, covered in enumerate(evaluation.covered_by_call):
                targets = _vouched_for((covered & goals) - quiet)
                if targets:
                    broken = any(exchange.is_broken for exchange in exchanges[:act])
                    slept = sum(exchange.slept for exchange in exchanges[: act + 1])
                    froze = any(exchange.frozen for exchange in exchanges[: act + 1])
                    found.append(Candidate(individual, act, targets, broken, slept, froze))
        return found

    def _only_hangs(self, individual: Individual) -> bool:
        """Say whether a test shows nothing but a call that does not end."""
        if not self.freezes:
            return False
        held = self._held(individual)
        if not held or not held <= self.freezes:
            return False
        self._happened |= held
        self.untested.update(dict.fromkeys(held, HANGS))
        self.dropped.append(DroppedRow(_name_of(individual), HANGS))
        return True

    def _held(self, individual: Individual) -> set[TargetId]:
        """Return the goals that the archive holds a test for."""
        goals = self._goals
        covered = self.archive.covered.items()
        return {one for one, best in covered if best.individual is individual and one in goals}

    def _is_skipped(self, individual: Individual) -> bool:
        """Say whether others cover what a test covers in the archive, or there is no time."""
        lacking = self._held(individual) - self._happened
        if lacking and self._allotment.is_closed(FREEZING_GRACES):
            self.dropped.append(DroppedRow(_name_of(individual), TOO_LATE))
            self.untested.update(dict.fromkeys(lacking, TOO_LATE))
            return True
        return not lacking

    def _note_bodies(self, exchanges: tuple[Exchange, ...]) -> None:
        for exchange in exchanges:
            if exchange.response is not None:
                self._seen.append((exchange.request.endpoint, exchange.response))

    def _affordable_individuals(self) -> list[Individual]:
        """Return the archive's individuals, each once, in the order of their first target.

        One that sends the keys of a caller comes as a test of that user, too.  Where there are far
        more than there will be tests, those that show faults are taken, then those that hold most.
        """
        held: dict[int, list[TargetId]] = {}
        for target in sorted(self._goals):
            individual = self.archive.covered[target].individual
            held.setdefault(id(individual), []).append(target)
        most = INDIVIDUALS_A_TEST * self.most_tests(None)
        if len(held) > most:
            order = sorted(held, key=lambda one: _weight(held[one]), reverse=True)
            for one in order[int(most) :]:
                self._give_up(self.archive.covered[held[one][0]].individual, held[one])
            taken = set(order[: int(most)])
            held = {one: targets for one, targets in held.items() if one in taken}
        found: dict[Individual, None] = {}
        for targets in held.values():
            individual = self.archive.covered[targets[0]].individual
            found[sent_by_callers(individual, self.callers)] = None
            found[individual] = None
        return list(found)

    def _give_up(self, individual: Individual, targets: Iterable[TargetId]) -> None:
        """Say that there is no time for a test that shows `targets`."""
        self.dropped.append(DroppedRow(_name_of(individual), TOO_LATE))
        self.untested.update(dict.fromkeys(targets, TOO_LATE))

    def _execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executions += 1
        return self.executor.evaluate_fully(individual)

    def _compared(self, individual: Individual) -> Sequence[Comparison]:
        self.executions += 1
        return observed(self.executor.evaluate(individual, guided=True)).guidance

    def _shown(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Specimen | None:
        """Return the test with a read that shows its effect, None where nothing does."""
        if self._allotment.is_over() or _fault_of(evaluation, duty) is not None:
            return None
        shown = self._aftermath.shown(evaluation, duty)
        if shown is None:
            return None
        exchanges = exchanges_of(shown.evaluation.evaluation)
        obstacle = obstacle_of_calls(exchanges) or self.permanence.obstacle(exchanges)
        if obstacle or side_effect(shown.evaluation):
            return None
        unstable, again = self._unstable(shown.evaluation, exchanges)
        if unstable_status(unstable):
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
        exchanges = exchanges_of(evaluation.evaluation)
        name = " then ".join(exchange.request.endpoint for exchange in exchanges)
        fault = _fault_of(evaluation, duty)
        obstacle = obstacle_of_calls(exchanges) or side_effect(evaluation)
        obstacle = obstacle or missing_service(exchanges[-1]) or self.permanence.obstacle(exchanges)
        if obstacle is None and fault is None:
            obstacle = foreign_file(observed(evaluation.evaluation).faults)
        if obstacle is None:
            unstable, again = self._unstable(evaluation, exchanges)
            obstacle = unstable_status(unstable)
        if obstacle is not None:
            self.dropped.append(DroppedRow(name, obstacle))
            self.untested.update((one, obstacle) for one in duty if kind_of(one) == FAULT)
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
        repeating = self._instability
        differed = repeating.differed(exchanges)
        if differed:
            return differed, {}
        before = repeating.executions
        repeated = repeating.repeated(evaluation.evaluation.individual, exchanges)
        self.executions += repeating.executions - before
        unstable = unstable_facts(exchanges, repeated)
        if self.stability is not None:
            unstable = corrected(unstable, exchanges, self.stability)
        return unstable, {call: _pages(repeated, call) for call, fact in unstable if fact == TEXT}


def _lost(
    chosen: Iterable[Candidate], results: Iterable[FullEvaluation[Individual]]
) -> frozenset[TargetId]:
    """Return what the candidates covered, and none does in its reduced form."""
    return union(one.targets for one in chosen) - union(one.covered for one in results)


def _name_of(individual: Individual) -> str:
    return " then ".join(call.endpoint for call in individual)


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


def _weight(targets: Collection[TargetId]) -> tuple[bool, int]:
    """Return what a test that alone covers `targets` is worth: faults weigh most."""
    return any(kind_of(target) == FAULT for target in targets), len(targets)


def _quiet_targets(observation: Observation) -> frozenset[TargetId]:
    faults = observation.faults
    return frozenset(one.target for one in faults if not one.is_failure)


def _fault_called(target: TargetId, evaluation: FullEvaluation[Individual]) -> Fault | None:
    faults = observed(evaluation.evaluation).faults
    return next((fault for fault in faults if fault.target == target), None)


def _fault_of(evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]) -> Fault | None:
    observation = observed(evaluation.evaluation)
    last = len(observation.exchanges) - 1
    faults = [fault for fault in observation.faults if fault.call == last and fault.is_failure]
    wanted = [fault for fault in faults if fault.target in duty or kind_of(fault.target) == FAULT]
    return wanted[0] if wanted else None
