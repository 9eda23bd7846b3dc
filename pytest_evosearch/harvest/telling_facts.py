"""Adds the facts that detect small changes of the application which tests overlook.

    for each mutant of a statement that tests run: execute some of these tests, the short ones first
    where no assertion fails, but an answer differs in a part that is stable: assert that part, too
    where no answer differs, but a read after a short test does: end the test with this read

    a text of a page that holds in all these trials, where another fact of the answer fails in
    one of them: it says nothing about the code under test, and goes

Other assertions stay although no mutant makes them fail: mutants are few kinds of mistakes.

A mutant is tried in this process (`execution.mutating.live_mutants`): a trial is one execution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from dataclasses import replace
from typing import Protocol

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import WRITING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.mutating.live_mutants import LiveMutant
from pytest_evosearch.harvest.proving.compared_answers import body_of
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.minimize.unstable import differing_facts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.assertions import holds
from pytest_evosearch.write.content.facts import TEXTS
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.facts import arrange_facts
from pytest_evosearch.write.content.facts import further_facts
from pytest_evosearch.write.content.facts import key_of
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.specimen import Telling

MOST_TESTS = 3
"""Most tests that try one mutant."""

TRIALS = 1.5
"""Expected executions for one mutant: most make the first test fail."""

MOST_ADDED = 2
"""Most facts that one test gets: more would hide what it is about."""

MOST_FREEZES = 3
"""Mutants without an end after which no more are tried: each takes the whole time limit."""

FEWEST_HELD = 3
"""Fewest trials in which a text has to hold, so that it is silent."""

LONGEST_TEST = 3
"""Calls from which a test does not get one more."""

Repeat = Callable[[Individual], "tuple[Exchange, ...]"]


class Mutants(Protocol):
    """Makes small changes of the running application (`execution.mutating.live_mutants`)."""

    def all(self) -> Iterator[LiveMutant]:
        """Yield every change."""
        ...

    def running(self, mutant: LiveMutant) -> AbstractContextManager[None] | None:
        """Return a block in which the application runs with a change; None where it cannot."""
        ...


class Reads(Protocol):
    """Ends tests with reads (`harvest.specimens`, `harvest.aftermath`)."""

    def beside(self, individual: Individual) -> list[Call]:
        """Return the reads that a test may end with."""
        ...

    def ended(self, specimen: Specimen, read: Call) -> Specimen | None:
        """Return a test that ends with a read, None where that does not show what it does."""
        ...


@dataclass
class TellingFacts:
    """Improves the tests of one harvest with a number of executions."""

    mutants: Mutants
    repeat: Repeat
    reads: Reads
    corpus: Corpus
    left: int
    """Executions that may still be made."""
    is_over: Callable[[], bool]
    tried: int = 0
    """Mutants that were tried."""
    detected: int = 0
    """Mutants that made a test fail before anything was added."""
    shown: int = 0
    """Mutants that an added fact detects."""
    frozen: int = 0
    """Mutants that did not end."""

    def improved(self, specimens: Sequence[Specimen]) -> list[Specimen]:
        """Return the tests with more telling assertions, in the same order."""
        tests = [_Tried(one, self.corpus) for one in specimens]
        able = sorted((one for one in tests if one.is_able), key=lambda one: one.size)
        wanted = self._affordable(able)
        for mutant in wanted:
            if self.is_over() or self.left <= 0:
                break
            self._try(mutant, [one for one in able if mutant.target in one.specimen.covered])
        return [one.result() for one in tests]

    def _affordable(self, tests: Sequence[_Tried]) -> list[LiveMutant]:
        """Return as many mutants as there are executions for, evenly spread over the code."""
        reached = frozenset[TargetId]().union(*(one.specimen.covered for one in tests))
        found = [one for one in self.mutants.all() if one.target in reached]
        step = max(1, int(len(found) * TRIALS / max(1, self.left - len(tests)) + 1))
        return found[::step]

    def _try(self, mutant: LiveMutant, tests: Sequence[_Tried]) -> None:
        """Try a mutant, and add a fact where an answer shows it that no test asserts."""
        overlooked: list[tuple[_Tried, FactPath]] = []
        silent: list[_Tried] = []
        for test in tests[:MOST_TESTS]:
            exchanges = self._executed(test, mutant)
            if exchanges is None:
                continue
            test.hear(exchanges)
            if test.fails(exchanges):
                self.tried, self.detected = self.tried + 1, self.detected + 1
                return
            overlooked += [(test, one) for one in test.overlooked(exchanges)]
            silent.append(test)
        self.tried += bool(silent)
        added = any(test.adds(fact) for test, fact in overlooked)
        self.shown += added or any(self._is_read(mutant, test) for test in silent)

    def _is_read(self, mutant: LiveMutant, test: _Tried) -> bool:
        """End a short test that writes with a read that shows a mutant; say whether there is one.

        All reads are sent together, twice without the mutant, so that what differs is stable.
        """
        if not test.may_end_with_a_read or self.left <= 0:
            return False
        if test.reads is None:
            test.reads = self.reads.beside(test.individual)
            self.left -= 2
            test.read = [self.repeat(test.with_reads) for _ in range(2)]
        running = self.mutants.running(mutant) if test.reads else None
        if running is None:
            return False
        self.left -= 1
        with running:
            exchanges = self.repeat(test.with_reads)
        for place in test.differing_reads(exchanges):
            ended = self.reads.ended(test.specimen, test.reads[place])
            self.left -= 2
            if ended is not None and self._detects(mutant, ended):
                test.end_with_a_read(ended)
                return True
        return False

    def _detects(self, mutant: LiveMutant, specimen: Specimen) -> bool:
        """Say whether the assertions of a test fail with a mutant, and only then."""
        ended = _Tried(specimen, self.corpus)
        exchanges = self._executed(ended, mutant)
        return exchanges is not None and ended.fails(exchanges)

    def _executed(self, test: _Tried, mutant: LiveMutant) -> tuple[Exchange, ...] | None:
        """Execute a test with a mutant; None where this says nothing."""
        if not test.told:
            self.left -= 1
            test.begin(self.repeat(test.individual))
        running = self.mutants.running(mutant) if test.is_able else None
        if running is None:
            return None
        self.left -= 1
        with running:
            exchanges = self.repeat(test.individual)
        self.frozen += any(one.frozen for one in exchanges)
        if self.frozen >= MOST_FREEZES:
            self.left = 0
        return exchanges


@dataclass
class _Tried:
    """One test, and what trials have shown of its assertions."""

    specimen: Specimen
    corpus: Corpus
    told: tuple[Exchange, ...] = ()
    """Its exchanges without a change, once more."""
    added: list[FactPath] = field(default_factory=list)
    is_able: bool = True
    """Whether trials show anything about the test."""
    heard: Counter[FactPath] = field(default_factory=Counter)
    """Fact about the last answer -> the trials in which it failed."""
    trials: int = 0
    """Trials in which the last answer had its status."""
    reads: list[Call] | None = None
    """The reads that may show more; None where they were not asked for."""
    read: list[tuple[Exchange, ...]] = field(default_factory=list)
    """The exchanges with these reads, without a change."""

    def __post_init__(self) -> None:
        """Find out whether trials can show anything."""
        one = self.specimen
        self.is_able = one.individual is not None and one.fault is None and bool(one.covered)

    @property
    def size(self) -> int:
        """The number of calls."""
        return len(self.specimen.steps)

    @property
    def individual(self) -> Individual:
        """The calls."""
        assert self.specimen.individual is not None
        return self.specimen.individual

    def begin(self, exchanges: tuple[Exchange, ...]) -> None:
        """Note the exchanges of a repetition; the test is left alone where its facts fail."""
        self.told = exchanges
        self.is_able = len(exchanges) == self.size and not self._failing(exchanges)

    def hear(self, exchanges: Sequence[Exchange]) -> None:
        """Note which facts about the last answer a change makes fail, while the status holds."""
        told = self.told[-1].response
        found = exchanges[-1].response if len(exchanges) == self.size else None
        if told is not None and found is not None and told.status == found.status:
            self.trials += 1
            failing = [key_of(one) for one in self._facts() if not holds(one, told, found)]
            self.heard.update(failing)

    def _silent(self) -> frozenset[FactPath]:
        """Return the texts that held in all trials, where another fact of the answer did not."""
        shown = [key_of(one) for one in self._facts()]
        is_told = any(self.heard[one] and one[0] in TEXTS for one in shown)
        if self.trials < FEWEST_HELD or not is_told:
            return frozenset()
        return frozenset(one for one in shown if one[0] in TEXTS and not self.heard[one])

    def fails(self, exchanges: Sequence[Exchange]) -> bool:
        """Say whether an assertion fails for these exchanges."""
        if len(exchanges) < self.size or any(one.response is None for one in exchanges):
            return True
        return bool(self._failing(exchanges))

    def overlooked(self, exchanges: Sequence[Exchange]) -> list[FactPath]:
        """Return the stable parts in which the last answer differs."""
        last = self.size - 1
        found = differing_facts(self.told[last], exchanges[last])
        return [
            fact
            for place in found
            if self.specimen.reason(last, place) is None
            for fact in further_facts(self.specimen, self.corpus, place, exchanges[last])
            if self._failing(exchanges, fact)
        ]

    def adds(self, fact: FactPath) -> bool:
        """Assert a further fact, if the test is not full."""
        if len(self.added) >= MOST_ADDED:
            return False
        self.added.append(fact)
        return True

    @property
    def may_end_with_a_read(self) -> bool:
        """Say whether the test is a short one that ends with an accepted write."""
        act = self.specimen.act
        is_short = self.size < LONGEST_TEST and self.specimen.follow_up is None
        return is_short and act.request.method in WRITING and act.status < FIRST_REFUSAL

    @property
    def with_reads(self) -> Individual:
        """The calls, and all reads after them."""
        return Individual((*self.individual.calls, *(self.reads or ())))

    def differing_reads(self, exchanges: Sequence[Exchange]) -> list[int]:
        """Return the indexes of the reads that are answered otherwise than without a change."""
        first, again = (one[self.size :] for one in self.read)
        found = exchanges[self.size :]
        if not len(first) == len(again) == len(found):
            return []
        return [
            place
            for place, (one, other, now) in enumerate(zip(first, again, found, strict=True))
            if body_of(one) == body_of(other) != body_of(now)
        ]

    def end_with_a_read(self, ended: Specimen) -> None:
        """Go on with the test that a read follows."""
        self.specimen, self.told, self.added = ended, (), []
        self.heard, self.trials = Counter(), 0

    def result(self) -> Specimen:
        """Return the test with what was found."""
        return replace(self.specimen, telling=Telling(tuple(self.added), self._silent()))

    def _facts(self, *more: FactPath) -> tuple[Fact, ...]:
        specimen = replace(self.specimen, telling=Telling((*self.added, *more)))
        return act_facts(specimen, self.size - 1, self.corpus)

    def _failing(self, exchanges: Sequence[Exchange], *more: FactPath) -> list[Fact]:
        """Return the asserted facts, and `more`, that are not true for other exchanges."""
        found = []
        for place, (told, exchange) in enumerate(zip(self.told, exchanges, strict=False)):
            is_last = place == self.size - 1
            facts = self._facts(*more) if is_last else arrange_facts(self.specimen, place)
            if told.response is not None and exchange.response is not None:
                pair = told.response, exchange.response
                found += [one for one in facts if not holds(one, *pair)]
        return found
