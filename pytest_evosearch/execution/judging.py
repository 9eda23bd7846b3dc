"""Evaluates individuals: an executor runs them, here they are judged.

    a performer executes (`execution.local_executor`, or `execution.forked.forks` in another
    process)
    -> oracles judge -> scores of probes, statuses and faults in one mapping

The rooms above do not see what executes: search, harvest and inquiry all come through here.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.answers import AnswerTargets
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import Performer
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.repeating.recollection import Recollection
from pytest_evosearch.execution.repetitions import Condition
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.oracles.oracle import judged
from pytest_evosearch.oracles.server_error import missing_services
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.size import size_of

LONGEST_SLEEP = 1.0
"""Seconds that the handlers may sleep in one written test."""


class Verdict(Protocol):
    """Knows which answers turn their caller away (`problem.http.learning.learnt_refusals`)."""

    def marked(self, exchange: Exchange) -> Exchange:
        """Return an exchange that says whether it turned its caller away."""
        ...

    def note_ways(self, exchanges: Sequence[Exchange], ways: Sequence[frozenset[TargetId]]) -> None:
        """Take in what each call of a test executed, one after another."""
        ...


class HttpExecutor:
    """Has individuals executed, and judges what came of it."""

    def __init__(
        self,
        performer: Performer,
        oracles: Sequence[AnyOracle],
        answers: AnswerTargets | None = None,
        complain: Callable[[str], None] = lambda _line: None,
        verdict: Verdict | None = None,
    ) -> None:
        self.performer = performer
        """Who executes; another one may take over between two executions."""
        self._oracles = oracles
        self._complain = complain
        """Told what went wrong in code of the project, wherever it ran."""
        self._answers = answers or AnswerTargets()
        self._verdict = verdict
        """Knows who was turned away, as far as the search has learnt."""
        self._retired: dict[TargetId, None] = {}
        self.tell: Callable[[str], None] = lambda _line: None
        """Told once of each service that is not there, in one line."""
        self.services: dict[str, str] = {}
        """Services that are not there, with what to know of each."""
        self.recollection = Recollection()
        """How the calls of all tests were answered so far."""
        self.drew_random_numbers = False
        """Whether the last `repeat` drew from the global random numbers."""
        self.draws = 0
        """How often the last `repeat` drew the system's random bytes."""
        self.identities = 0
        """How often the application's code asked for a hash or an address in the last `repeat`."""
        self.threads = 0
        """How many threads the calls of the last `repeat` have started."""
        self._least_seconds: dict[str, float] = {}
        self._executions = 0
        self._seconds = 0.0
        """What all executions have taken by now."""
        self.slow: set[str] = set()
        """Endpoints whose calls get all of their time limit, also in a short search."""

    def move_to(self, performer: Performer) -> None:
        """Have everything executed by `performer` from now on.

        The state may not have come back so far, so that earlier answers prove nothing.
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
        """Free the application's code of the probes that are silent for good."""
        self.performer.respecialize()

    def evaluate(self, individual: Individual, guided: bool = False) -> Evaluation[Individual]:
        """Execute for the search; targets that the archive retired may be missing.

        With `guided` the observation also holds what the last call compared on the way to
        targets that are retired.
        """
        look = Look.GUIDED if guided else Look.SEARCH
        conversation = self._performed(Order(individual, look))
        return self._evaluation(individual, conversation, guided)

    def evaluate_fully(
        self, individual: Individual, focus: frozenset[TargetId] = frozenset()
    ) -> FullEvaluation[Individual]:
        """Execute with every probe armed, call by call.

        The observation also holds what the conditions of the targets in `focus` saw.
        """
        conversation = self._performed(Order(individual, Look.FULL, focus))
        evaluation = self._evaluation(individual, conversation)
        covered = self._covered_by_call(evaluation, conversation.covered)
        return FullEvaluation(
            evaluation,
            covered,
            conversation.disturbances,
            conversation.harms,
            conversation.created,
            conversation.remains.keeps_context,
            conversation.remains.leaves_threads,
        )

    def repeat(
        self, individual: Individual, condition: Condition, interpreter: int = 0
    ) -> tuple[Exchange, ...]:
        """Execute once more from the restored state under `condition`; only exchanges count.

        `interpreter` says whose hashes and addresses the application sees.
        """
        order = Order(individual, Look.AGAIN, condition=condition, interpreter=interpreter)
        conversation = self._performed(order)
        self.drew_random_numbers = conversation.drew_random_numbers
        self.draws = conversation.draws
        self.identities = conversation.identities
        self.threads = conversation.threads
        return self._marked(conversation.exchanges)

    def _marked(self, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
        """Return exchanges that say whether they turned their caller away."""
        if self._verdict is None:
            return tuple(exchanges)
        return tuple(map(self._verdict.marked, exchanges))

    def _note_ways(self, conversation: Conversation, guided: bool) -> None:
        """Have it learnt what the calls executed, as far as that was looked at."""
        ways = [conversation.reached] if guided else conversation.covered
        if self._verdict is not None and ways:
            self._verdict.note_ways(conversation.exchanges, ways)

    def _performed(self, order: Order) -> Conversation:
        if self.slow and not self.slow.isdisjoint(one.endpoint for one in order.individual.calls):
            order = replace(order, patient=True)
        started = monotonic()
        said = self.performer.perform(order)
        seconds = monotonic() - started
        self._executions += 1
        self._seconds += seconds
        for call in order.individual.calls:
            known = self._least_seconds.get(call.endpoint, seconds)
            self._least_seconds[call.endpoint] = min(known, seconds)
        return said

    @property
    def usual_seconds(self) -> float:
        """Return what executing a test has taken on average, 0 before the first."""
        return self._seconds / max(1, self._executions)

    def expected_seconds(self, individual: Individual) -> float:
        """Return what executing a test takes at least, by what its endpoints have taken so far."""
        return max((self._least_seconds.get(one.endpoint, 0.0) for one in individual), default=0.0)

    def _evaluation(
        self, individual: Individual, conversation: Conversation, guided: bool = False
    ) -> Evaluation[Individual]:
        self._note_ways(conversation, guided)
        exchanges, scores = self._marked(conversation.exchanges), conversation.scores
        for complaint in conversation.complaints:
            self._complain(complaint)
        for exchange in exchanges:
            if exchange.missing:
                self._note_missing(exchange)
        self.recollection.note(conversation.exchanges)  # as answered: verdicts change
        faults = tuple(judged(self._oracles, exchanges))
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
            conversation.reach,
            conversation.sightings,
            conversation.reached,
        )
        calls, inputs = size_of(individual)
        size = (calls + self._answers.burden(exchanges), inputs)
        return Evaluation(individual, scores, size, observation)

    def _note_missing(self, exchange: Exchange) -> None:
        for one in missing_services(exchange):
            if one.service not in self.services:
                asked = f"{one.reason}; {exchange.request.endpoint} asks for it"
                self.services[one.service] = asked
                self.tell(f"service {one.service} is down ({asked}): what needs it is not tested")

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


def takes_too_long(exchanges: Sequence[Exchange]) -> bool:
    """Say whether these calls cannot become a test because of the time that they take.

    They count for nothing but faults: what they cover would be taken for done, and no test
    would be written for it.
    """
    asleep = sum(exchange.slept for exchange in exchanges)
    return asleep > LONGEST_SLEEP or any(exchange.frozen for exchange in exchanges)
