"""Reduces a candidate to the simplest test that covers its duty.

    1. truncate after the act; without the calls that fail, with rows made by calls
       (`harvest.arranging.made_rows`), keys fetched and tokens issued instead of sent
    2. what most tests come down to (`minimize.cores`): the act alone, or with the calls that it
       feeds on; without what other tests of the endpoints could do without; without headers
    3. links that a reader would not follow become literals, reads move behind what they read,
       users of the project take the place of those who log in
    4. calls that only prepare are sent as other tests send them (`harvest.arranging.served_calls`)
    5. calls, users, inputs and values go one by one (`minimize.shortening`)

Invariant: the result was executed, covers the duty with its last call, and contains no earlier
crash, unless no variant had these properties.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.judging import takes_too_long
from pytest_evosearch.harvest.allotment import Allotment
from pytest_evosearch.harvest.arranging.cut_links import without_incredible_links
from pytest_evosearch.harvest.arranging.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.arranging.made_rows import MadeRows
from pytest_evosearch.harvest.arranging.reissued_tokens import ReissuedTokens
from pytest_evosearch.harvest.arranging.served_calls import ServedCalls
from pytest_evosearch.harvest.duties import Candidate
from pytest_evosearch.harvest.finished_tests import FinishedTests
from pytest_evosearch.minimize.cores import barer
from pytest_evosearch.minimize.cores import likely_cores
from pytest_evosearch.minimize.failed_variants import FailedVariants
from pytest_evosearch.minimize.shortening import as_users
from pytest_evosearch.minimize.shortening import minimize_individual
from pytest_evosearch.minimize.shortening import with_late_reads
from pytest_evosearch.minimize.spare_inputs import SpareInputs
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of

READY_GRACES = 2
"""Graces after which a test is not even executed without the parts that hardly any test needs."""

Execute = Callable[[Individual], FullEvaluation[Individual]]
Does = Callable[[Individual], bool]


@dataclass
class Reduction:
    """Reduces the candidates of one harvest, and learns from each for the others."""

    execute: Execute
    allotment: Allotment
    limit: int
    """Most executions for one test; most need about forty."""
    repetitions: int = 1
    """Number of times that a simpler test must have its result."""
    users: Sequence[str] = ()
    """Names of the project's own users."""
    keys: FetchedKeys = field(default_factory=FetchedKeys)
    """Keys that tests read from responses instead of sending literals."""
    tokens: ReissuedTokens = field(default_factory=ReissuedTokens)
    """Tokens that tests request instead of sending those of another test."""
    finished: FinishedTests = field(default_factory=FinishedTests)
    """Results of tests that were minimised and repeated before."""
    made: MadeRows = field(default_factory=MadeRows)
    """Rows that calls create instead of tests that store them."""
    _served: ServedCalls = field(default_factory=ServedCalls)
    _failed: FailedVariants = field(default_factory=FailedVariants)
    _spare: SpareInputs = field(default_factory=SpareInputs)

    def reduced(
        self, candidate: Candidate, duty: frozenset[TargetId], refused: set[Individual]
    ) -> FullEvaluation[Individual]:
        """Return the simplest form of a candidate that covers `duty`.

        `refused` are variants that failed; they would also fail with a larger duty.
        """
        first = self.truncated(candidate)
        truncated = first.evaluation.individual
        attempts = _Attempts(self, first, duty, refused)
        if takes_too_long(attempts.exchanges):
            return attempts.best  # it becomes no test, and every attempt would take as long
        if self._is_known(truncated, attempts):
            self._learn(truncated, attempts, polished=True)
            return attempts.best
        start = self._core(attempts.best.evaluation.individual, attempts)
        self._learn_preparations(start, attempts)
        start = self._served.prepared(start, attempts.exchanges, attempts.keeps)
        settled = self._served.settled(start, attempts.exchanges)
        is_over = self.allotment.is_next_ones_turn
        minimize_individual(start, attempts.keeps, self.limit, settled, self._failed, is_over)
        polished = attempts.number < self.limit and not is_over()
        self._learn(truncated, attempts, polished)
        return attempts.best

    def _learn(self, truncated: Individual, attempts: _Attempts, polished: bool) -> None:
        """Learn from a finished test for other tests."""
        found = attempts.best.evaluation.individual
        self._served.note(found, attempts.exchanges, polished)
        self._spare.note(truncated, found, polished)
        if polished:
            self.finished.note(truncated, found, attempts.duty)

    def _is_known(self, truncated: Individual, attempts: _Attempts) -> bool:
        """Use the known short form of a test; say whether it is the shortest."""
        for short in self.finished.forms(truncated):
            if short.individual == truncated or attempts.suffices(short.individual):
                return short.duty <= attempts.duty
        return False

    def truncated(self, candidate: Candidate) -> FullEvaluation[Individual]:
        """Execute a candidate up to its act, without any simplification."""
        return self.execute(_up_to_act(candidate))

    def hasty(self, candidate: Candidate, duty: frozenset[TargetId]) -> FullEvaluation[Individual]:
        """Execute a candidate up to its act when there is no time to simplify it.

        It is executed without parts that hardly any test needs, which takes no longer and is mostly
        enough. Earlier crashing calls must be removed, or there is no test. When it is late, what
        was executed before is enough.
        """
        late = self.allotment.is_desperate or self.allotment.is_closed(READY_GRACES)
        if candidate.is_ready and candidate.executed and late:
            return candidate.executed
        whole = _up_to_act(candidate)
        for short in self.finished.forms(whole):
            if _does(found := self.execute(short.individual), duty):
                return found
        if candidate.broken_arrangement:
            return self._sound(whole, duty)
        bare = next(barer(whole))
        if bare != whole and _does(found := self.execute(bare), duty):
            return found
        return candidate.executed or self.execute(whole)

    def _sound(self, whole: Individual, duty: frozenset[TargetId]) -> FullEvaluation[Individual]:
        """Execute a test without its earlier crashing calls, or unchanged where that fails."""
        found = self.execute(whole)
        for sound in _without_failed_calls(whole, exchanges_of(found.evaluation)):
            if _does(attempt := self.execute(sound), duty):
                return attempt
        return found

    def _core(self, truncated: Individual, attempts: _Attempts) -> Individual:
        """Return the test after the steps that are tried even without time."""
        suffices, keeps = attempts.suffices, attempts.keeps
        # With two crashing calls, leaving out only one of them is never enough.
        sound = _without_failed_calls(truncated, attempts.exchanges)
        truncated = _first(sound, suffices, truncated)
        truncated = _first(self.made.variants(truncated), suffices, truncated)
        # Before calls are removed: a link without its call sends its fallback, here the key.
        truncated = _preferred(truncated, self.keys.fetched(truncated), suffices)
        truncated = _preferred(truncated, self.tokens.reissued(truncated), suffices)
        core = _first(likely_cores(truncated), suffices, truncated)
        core = _first(self._barer(core), suffices, core)
        # A link that is cut becomes a literal, which may be a key.
        plain = self.keys.fetched(without_incredible_links(core, attempts.exchanges))
        core = _preferred(core, plain, keeps)
        core = _preferred(core, with_late_reads(core), suffices)
        return _first(as_users(core, self.users), keeps, core)

    def _barer(self, core: Individual) -> list[Individual]:
        """Return variants without inputs that other tests did not need, the barest first."""
        variants = [self._spare.without(one) for one in (*barer(core), core)]
        return [one for one in dict.fromkeys(variants) if one != core]

    def _learn_preparations(self, start: Individual, attempts: _Attempts) -> None:
        """Learn the simplest preparing calls with an equivalent response."""
        is_over = self.allotment.is_next_ones_turn
        for beginning in self._served.unknown(start, attempts.exchanges):
            self._served.learn(beginning, attempts.exchanges, self._answers, self.limit, is_over)

    def _answers(self, individual: Individual) -> tuple[Exchange, ...]:
        return exchanges_of(self.execute(individual).evaluation)


@dataclass
class _Attempts:
    """The executed variants of one candidate, and the best of them."""

    reduction: Reduction
    best: FullEvaluation[Individual]
    duty: frozenset[TargetId]
    refused: set[Individual]
    number: int = 0
    """Number of executed variants within the time; the limit when not everything was tried."""

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Return the exchanges of the best variant."""
        return exchanges_of(self.best.evaluation)

    def suffices(self, attempt: Individual) -> bool:
        """Execute a variant, and say whether it covers the duty; then it is the best one."""
        if attempt in self.refused:
            return False
        for _ in range(self.reduction.repetitions):
            evaluation = self.reduction.execute(attempt)
            if not _does(evaluation, self.duty):
                self.refused.add(attempt)
                return False
        self.best = evaluation
        return True

    def keeps(self, attempt: Individual) -> bool:
        """Say whether a variant covers the duty, while it is this test's turn."""
        self.number += 1
        if self.reduction.allotment.is_next_ones_turn():
            self.number = self.reduction.limit
            return False
        return self.suffices(attempt)


def _up_to_act(candidate: Candidate) -> Individual:
    return Individual(candidate.individual.calls[: candidate.act + 1])


def _does(evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]) -> bool:
    """Say whether the last call covers a duty, and no earlier call crashed."""
    *before, _act = exchanges_of(evaluation.evaluation)
    intact = not any(exchange.is_broken for exchange in before)
    return intact and duty <= evaluation.covered_by_call[-1]


def _preferred(one: Individual, other: Individual, does: Does) -> Individual:
    return other if other != one and does(other) else one


def _first(variants: Iterable[Individual], does: Does, otherwise: Individual) -> Individual:
    return next((variant for variant in variants if does(variant)), otherwise)


def _without_failed_calls(
    individual: Individual, exchanges: Sequence[Exchange]
) -> Iterator[Individual]:
    """Yield variants without earlier calls that were refused, crashed or did not end.

    A refused call mostly changed nothing; where it did, only the broken ones are omitted.
    """
    *before, act = zip(individual.calls, exchanges, strict=False)
    lasting = [(call, exchange) for call, exchange in before if not exchange.is_broken]
    served = [call for call, exchange in lasting if exchange.status < FIRST_REFUSAL]
    for kept in dict.fromkeys((tuple(served), tuple(call for call, _ in lasting))):
        if len(kept) < len(before):
            yield Individual((*kept, act[0]))
