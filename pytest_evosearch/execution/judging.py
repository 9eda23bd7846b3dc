"""Evaluates individuals: a performer executes them, and this module judges the results.

    a performer executes (`execution.local_executor`, or `execution.forked.forks` in another
    process)
    -> oracles judge -> scores of probes, statuses and faults in one mapping

Search, harvest and inquiry all call this module, and do not see which performer executes.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.answers import AnswerTargets
from pytest_evosearch.execution.confirming.recorded_calls import NOWHERE
from pytest_evosearch.execution.confirming.recorded_calls import Places
from pytest_evosearch.execution.confirming.recorded_calls import RecordedCalls
from pytest_evosearch.execution.confirming.resemblance import first_difference
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import GoOn
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import Performer
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.full_evaluation import GrownEvaluation
from pytest_evosearch.execution.repeating.recollection import Recollection
from pytest_evosearch.execution.repetitions import Condition
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.oracles.oracle import Bench
from pytest_evosearch.oracles.server_error import as_seen_inside
from pytest_evosearch.oracles.server_error import missing_services
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.consequences import Consequences
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.size import size_of
from pytest_evosearch.settings.pace import Durations

LONGEST_SLEEP = 1.0
"""Most seconds that handlers may sleep in one written test."""


REFUSALS = "what is learnt of refusals"
"""Part of a run that knows callers who were turned away."""


class Verdict(Protocol):
    """Knows which responses refuse their caller (`problem.http.learning.learnt_refusals`)."""

    def marked(self, exchange: Exchange) -> Exchange:
        """Return the exchange, marked when it refused its caller."""
        ...

    def note_ways(self, exchanges: Sequence[Exchange], ways: Sequence[frozenset[TargetId]]) -> None:
        """Learn from the code that each call of a test executed, call by call."""
        ...


class HttpExecutor:
    """Has individuals executed, and judges the results."""

    def __init__(
        self,
        performer: Performer,
        oracles: Sequence[AnyOracle],
        answers: AnswerTargets | None = None,
        complain: Callable[[str], None] = lambda _line: None,
        verdict: Verdict | None = None,
        reading: RecordedCalls | None = None,
        fence: Fence | None = None,
    ) -> None:
        self.performer = performer
        """The performer; another one may replace it between two executions."""
        self.fence = fence or Fence()
        self._bench = Bench(oracles, self.fence)
        self._complain = complain
        """Called with failures of the project's own code, in whichever process it ran."""
        self._answers = answers or AnswerTargets()
        self._verdict = verdict
        """Knows which callers were refused, as far as the search has learnt."""
        self.reading = reading or RecordedCalls(records=False)
        """Chooses the calls whose reads are recorded."""
        self._retired: dict[TargetId, None] = {}
        self.notify: Callable[[str], None] = lambda _line: None
        """Called once for each missing service, with one line."""
        self.services, self.tables = dict[str, str](), dict[str, str]()
        """Missing service -> what to know; missing table -> an endpoint that goes on without it."""
        self.recollection = Recollection()
        """How the calls of all tests were answered so far."""
        self.drew_random_numbers = False
        """Whether the last `repeat` drew from the global random numbers."""
        self.draws = 0
        """How many times the last `repeat` drew the system's random bytes."""
        self.identities = 0
        """How many times the application asked for a hash or an address in the last `repeat`."""
        self.threads = 0
        """How many threads the calls of the last `repeat` started."""
        self._least_seconds: dict[str, float] = {}
        self._durations = Durations()
        self.slow: set[str] = set()
        """Endpoints whose calls get their full time limit, even in a short search."""

    def move_to(self, performer: Performer) -> None:
        """Have everything executed by `performer` from now on.

        State may not have been restored before, so earlier responses prove nothing.
        """
        self.recollection = Recollection()
        performer.retire(tuple(self._retired))
        self.performer = performer

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Stop recording `targets`, except in full evaluations."""
        found = tuple(targets)
        self._retired.update(dict.fromkeys(found))
        self.performer.retire(found)

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        self.performer.respecialize()

    def evaluate(self, individual: Individual, guided: bool = False) -> Evaluation[Individual]:
        """Execute for the search; retired targets of the archive may be missing.

        With `guided`, the observation also holds the last call's comparisons on the way to retired
        targets.
        """
        look = Look.GUIDED if guided else Look.SEARCH
        recorded = self.reading.all(individual) if guided else self.reading.chosen(individual)
        order = Order(individual, look, recorded=recorded, layers=self.reading.layers)
        return self._evaluation(order, self._performed(order))

    def evaluate_growing(self, individual: Individual, go_on: GoOn) -> GrownEvaluation[Individual]:
        """Execute a test that grows by what `go_on` returns after each answer.

        Where it runs in another process, it does not grow: the next test may begin with all that
        was sent so far.
        """
        order = Order(individual, layers=self.reading.layers, go_on=go_on)
        said = self._performed(order)
        calls, seen = zip(*said.further, strict=True) if said.further else ((), ())
        later = {target for scores in seen for target in scores}
        begun = {name: score for name, score in said.scores.items() if name not in later}
        by_call = [dict[TargetId, float]() for _call in individual.calls[1:]]
        by_call += map(dict, (begun, *seen))
        grown = Individual((*individual.calls, *calls))
        evaluation = self._evaluation(replace(order, individual=grown), said)
        observation = observed(evaluation)
        for scores, targets in zip(
            by_call, self._answers.of_test(observation.exchanges), strict=False
        ):
            scores.update(dict.fromkeys(targets, COVERED))
        for fault in observation.faults:
            by_call[fault.call][fault.target] = COVERED
        return GrownEvaluation(evaluation, tuple(by_call))

    def confirmed(self, evaluation: Evaluation[Individual]) -> Evaluation[Individual]:
        """Return what a test shows with the objects that Flask gives, and what its handlers read.

        The test is executed once more: with plain objects where handlers got recording ones, else
        with recording ones, to learn. An endpoint that answers otherwise with recording objects
        gets plain ones from now on.
        """
        individual, first = evaluation.individual, observed(evaluation)
        everything = self.reading.all(individual)
        if first.recorded:
            plain = self._seen(individual, NOWHERE)
            learnt = evaluation
            evaluation = replace(plain, observation=_with_guidance(observed(plain), first))
        elif everything:
            learnt = self._seen(individual, everything)
        else:
            return evaluation
        self._compare(evaluation, learnt)
        return self._with_reads(evaluation)

    def _seen(
        self, individual: Individual, recorded: Places, layers: bool = True
    ) -> Evaluation[Individual]:
        """Execute a test with everything in the process put back before."""
        layers = layers and self.reading.layers
        order = Order(individual, recorded=recorded, layers=layers, anew=True)
        return self._evaluation(order, self._performed(order))

    def _with_reads(self, evaluation: Evaluation[Individual]) -> Evaluation[Individual]:
        """Judge the responses of a plain execution again, now that it is known what was read."""
        observation = observed(evaluation)
        exchanges = tuple(map(self.reading.with_known_reads, observation.exchanges))
        if exchanges == observation.exchanges:
            return evaluation
        faults = tuple(self._bench.judged(exchanges))
        gone = {fault.target for fault in observation.faults} - {one.target for one in faults}
        scores = {one: score for one, score in evaluation.scores.items() if one not in gone}
        for fault in faults:
            scores[fault.target] = COVERED
        observation = replace(observation, exchanges=exchanges, faults=faults)
        return replace(evaluation, scores=scores, observation=observation)

    def _compare(self, plain: Evaluation[Individual], learnt: Evaluation[Individual]) -> None:
        """Give plain objects to an endpoint that answers otherwise with recording ones.

        An answer that differs by chance proves nothing, so both executions are repeated.
        """
        individual, places = plain.individual, self.reading.all(plain.individual)

        def difference(one: Evaluation[Individual], other: Evaluation[Individual]) -> int | None:
            return first_difference(one, other, self._retired)

        place = difference(plain, learnt)
        if place is None or difference(self._seen(individual, NOWHERE), plain) is not None:
            return
        if difference(self._seen(individual, places), learnt) is not None:
            return
        if difference(self._seen(individual, places, layers=False), plain) is None:
            self.reading.layers = False
        else:
            self.reading.plain.add(individual.calls[place].endpoint)

    def evaluate_fully(
        self, individual: Individual, focus: frozenset[TargetId] = frozenset()
    ) -> FullEvaluation[Individual]:
        """Execute with every probe armed, call by call.

        The observation also holds the values that conditions of the targets in `focus` compared.
        """
        order = Order(individual, Look.FULL, focus)
        conversation = self._performed(order)
        evaluation = self._evaluation(order, conversation)
        covered = self._covered_by_call(evaluation, conversation.covered)
        return FullEvaluation(
            evaluation,
            covered,
            conversation.disturbances,
            conversation.harms,
            Consequences(
                conversation.created,
                conversation.remains.keeps_context,
                conversation.remains.leaves_threads,
                conversation.remains.warnings,
            ),
        )

    def repeat(
        self, individual: Individual, condition: Condition, interpreter: int = 0
    ) -> tuple[Exchange, ...]:
        """Execute once more from the restored state under `condition`; only the exchanges count.

        `interpreter` is the number of the interpreter whose hashes and addresses the application
        sees.
        """
        order = Order(individual, Look.AGAIN, condition=condition, interpreter=interpreter)
        conversation = self._performed(order)
        self.drew_random_numbers = conversation.drew_random_numbers
        self.draws = conversation.draws
        self.identities = conversation.identities
        self.threads = conversation.threads
        return self._marked(conversation.exchanges)

    def _marked(self, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
        """Return the exchanges, those marked that refused their caller."""
        if self._verdict is None:
            return tuple(exchanges)
        return tuple(
            [
                self.fence.run(REFUSALS, self._verdict.marked, one, otherwise=one)
                for one in exchanges
            ]
        )

    def _note_ways(self, conversation: Conversation, guided: bool) -> None:
        """Let the verdict learn from the code that the calls executed, where it was recorded."""
        ways = [conversation.reached] if guided else conversation.covered
        if self._verdict is not None and ways:
            note = self._verdict.note_ways
            self.fence.run(REFUSALS, note, conversation.exchanges, ways, otherwise=None)

    def _performed(self, order: Order) -> Conversation:
        if self.slow and not self.slow.isdisjoint(one.endpoint for one in order.individual.calls):
            order = replace(order, patient=True)
        started = monotonic()
        said = self.performer.perform(order)
        seconds = monotonic() - started
        self._durations.note(seconds)
        for call in order.individual.calls:
            known = self._least_seconds.get(call.endpoint, seconds)
            self._least_seconds[call.endpoint] = min(known, seconds)
        self.fence.adopt(said.remains.mishaps)
        said.exchanges = self.reading.completed(said.exchanges, order.recorded)
        return said

    @property
    def usual_seconds(self) -> float:
        """Return the average seconds of one of the latest executions, 0 before the first."""
        return self._durations.usual

    def expected_seconds(self, individual: Individual) -> float:
        """Return the least seconds of an execution, from the earlier calls of its endpoints."""
        return max((self._least_seconds.get(one.endpoint, 0.0) for one in individual), default=0.0)

    def _faults(
        self, exchanges: Sequence[Exchange], ran: Sequence[frozenset[TargetId]]
    ) -> tuple[Fault, ...]:
        """Return what the oracles find; `ran` is the code of each call, empty if not recorded."""
        faults = tuple(self._bench.judged(exchanges))
        if not ran:
            return faults
        return tuple(as_seen_inside(one, exchanges[one.call], ran[one.call]) for one in faults)

    def _evaluation(self, order: Order, conversation: Conversation) -> Evaluation[Individual]:
        individual = order.individual
        self._note_ways(conversation, order.look is Look.GUIDED)
        exchanges, scores = self._marked(conversation.exchanges), conversation.scores
        for complaint in conversation.complaints:
            self._complain(complaint)
        for exchange in exchanges:
            if exchange.missing or exchange.evidence.absent:
                self._note_missing(exchange)
        if not order.recorded:
            self.recollection.note(conversation.exchanges)  # as answered: verdicts change
        if order.look is Look.GUIDED:  # it shows what others cover, and loading the application
            for target in self._retired.keys() & scores.keys():
                del scores[target]
        faults = self._faults(exchanges, conversation.covered)
        if takes_too_long(exchanges):
            scores.clear()
        else:
            for targets in self._answers.of_test(exchanges):
                scores.update(dict.fromkeys(targets, COVERED))
        for fault in faults:
            scores[fault.target] = COVERED
        observation = Observation(
            individual,
            exchanges,
            conversation.comparisons,
            faults,
            conversation.guidance,
            len(conversation.reached),
            conversation.sightings,
            conversation.reached,
            order.recorded,
        )
        calls, inputs = size_of(individual)
        size = (calls + self._answers.burden(exchanges), inputs)
        return Evaluation(individual, scores, size, observation)

    def _note_missing(self, exchange: Exchange) -> None:
        """Note the table that is not there, and say it once of each service."""
        if exchange.done_without:
            self.tables.setdefault(exchange.done_without, exchange.request.endpoint)
        for one in missing_services(exchange):
            if one.service not in self.services:
                asked = f"{one.reason}; {exchange.request.endpoint} asks for it"
                self.services[one.service] = asked
                self.notify(f"service {one.service} is down ({asked}): what needs it is not tested")

    def _covered_by_call(
        self, evaluation: Evaluation[Individual], by_probes: Sequence[frozenset[TargetId]]
    ) -> tuple[frozenset[TargetId], ...]:
        observation = observed(evaluation)
        covered: list[set[TargetId]] = []
        answers = self._answers.of_test(observation.exchanges)
        for targets, answer, exchange in zip(
            by_probes, answers, observation.exchanges, strict=True
        ):
            covered.append(set() if exchange.frozen else set(targets))
            covered[-1].update(answer)
        for fault in observation.faults:
            covered[fault.call].add(fault.target)
        return tuple(frozenset(targets) for targets in covered)


def _with_guidance(plain: Observation, guided: Observation) -> Observation:
    """Return what a plain execution showed, with the comparisons that a guided one recorded."""
    return replace(plain, guidance=guided.guidance, reach=guided.reach, reached=guided.reached)


def takes_too_long(exchanges: Sequence[Exchange]) -> bool:
    """Say whether these calls take too long to become a test.

    They count only for faults. If they counted for targets, those would seem covered, although no
    test would be written.
    """
    asleep = sum(exchange.slept for exchange in exchanges)
    return asleep > LONGEST_SLEEP or any(exchange.frozen for exchange in exchanges)
