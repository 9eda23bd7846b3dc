"""Repeats a test in other circumstances, to find the stable facts of its responses.

    as it was, and under a moved clock             every test
    with other random numbers                      a test that draws some
    some seconds later, other bytes of the system  twice where all repetitions so far agree, else
                                                   four times; twenty where such bytes are drawn
    thirty times more                              a call whose endpoint had two statuses for one
                                                   request in the search; calls that start threads
                                                   which may race
    when threads are done                          calls of which an earlier one starts threads
    with the hashes and addresses of others        a test whose handlers ask for some (`hash`, `id`)

A far moved clock may change a status without making the test unstable: a token, a session, or a row
from before the search may have expired. In a fresh interpreter, the data of fixtures are as old as
the test, so verification decides (`write.verification`). This only applies when a clock moved by
seconds never changes anything. The values in these responses are checked with clocks that are moved
less far, or back.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.execution.repetitions import EVEN_BYTES
from pytest_evosearch.execution.repetitions import EVEN_SEEDS
from pytest_evosearch.execution.repetitions import EXTREME_SEEDS
from pytest_evosearch.execution.repetitions import EXTREMES
from pytest_evosearch.execution.repetitions import MOST_CHOSEN_DRAWS
from pytest_evosearch.execution.repetitions import OTHER_SEEDS
from pytest_evosearch.execution.repetitions import OTHER_SHIFTS
from pytest_evosearch.execution.repetitions import Condition
from pytest_evosearch.execution.repetitions import a_little_later
from pytest_evosearch.execution.repetitions import clock_moved_by
from pytest_evosearch.execution.repetitions import other_randomness
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.execution.repetitions import when_threads_are_done
from pytest_evosearch.minimize.unstable import AGAIN
from pytest_evosearch.minimize.unstable import CHANGES_BETWEEN_RUNS
from pytest_evosearch.minimize.unstable import CLOCK
from pytest_evosearch.minimize.unstable import RANDOM
from pytest_evosearch.minimize.unstable import STATUS
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.minimize.unstable import Repetition
from pytest_evosearch.minimize.unstable import unstable_facts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual

AGREED_STEPS = 2
"""Repetitions some seconds later for a test whose other repetitions all agreed.

With two of them, one shows an effect of the parity of the second, whatever the start time.
"""

FEWEST_STEPS = 4
"""Repetitions some seconds later for a test with a difference in other repetitions."""

STEPS_IN_DOUBT = 10
"""Repetitions when a far clock changed a status, or system bytes were drawn."""

REPETITIONS_IN_DOUBT = 30
"""Additional repetitions for a test with an endpoint of varying status, or with several threads.

With this number, almost every event with a chance of one tenth is seen.
"""

FEWEST_REPETITIONS = 4
"""Fewest executions of a test here, if there is time."""

OTHER_INTERPRETERS = 16
"""Repetitions with other hashes and addresses; nearly all show an effect of one in five."""

Unstable: TypeAlias = "Mapping[tuple[int, FactPath], str]"


@dataclass
class Instability:
    """Repeats tests with one executor."""

    executor: HttpExecutor
    conditions: Sequence[tuple[str, Condition]]
    """The conditions for every test, each with what it moves.

    Without `CLOCK` among them, the clock is not ours.
    """
    is_over: Callable[[], bool]
    """Says whether there is only time for the fewest repetitions."""
    is_closed: Callable[[], bool] = lambda: False
    """Says whether there is no time for even one repetition."""
    executions: int = 0

    def differed(self, reference: Sequence[Exchange]) -> Unstable:
        """Return the statuses of this test's calls that differed during the search.

        The state of a separate server may have changed since, so for it the result is empty.
        """
        if not self._is_ours:
            return {}
        places = self.executor.recollection.contradicted(reference)
        return {(place, STATUS): CHANGES_BETWEEN_RUNS for place in places}

    @property
    def _is_ours(self) -> bool:
        """Say whether the application runs here, with restored state."""
        return any(name == CLOCK for name, _condition in self.conditions)

    def repeated(
        self, individual: Individual, reference: Sequence[Exchange], is_known: bool = False
    ) -> list[Repetition]:
        """Execute a test again, and return the exchanges of each repetition.

        Statuses that only a far clock changes are replaced. A known test, which another process has
        repeated, is executed once unchanged, to compare its responses with those there.
        """
        if is_known and not self.executor.recollection.doubts(reference):
            return [self._repeated(AGAIN, individual, unchanged)]
        conditions = self.conditions[-1:] if self.is_closed() else self.conditions
        found = [self._repeated(name, individual, one) for name, one in conditions]
        draws, identities = self.executor.draws, self.executor.identities
        if self.executor.drew_random_numbers:
            seeds = OTHER_SEEDS if self.is_over() else (*EVEN_SEEDS, *EXTREME_SEEDS)
            otherwise = [other_randomness(seed) for seed in seeds]
            found += [self._repeated(RANDOM, individual, one) for one in otherwise]
        if not self._is_ours:
            return found
        doubtful = _changes_status(reference, found, only=CLOCK)
        agreed = not unstable_facts(reference, found)
        threads = self.executor.threads
        races = threads > 1
        if threads and len(reference) > 1 and not self.is_over():
            found.append(self._repeated(AGAIN, individual, when_threads_are_done))
        if (races or self.executor.recollection.doubts(reference)) and not self.is_over():
            found += [
                self._repeated(AGAIN, individual, unchanged) for _ in range(REPETITIONS_IN_DOUBT)
            ]
        later = _later(draws, doubtful, AGREED_STEPS if agreed else FEWEST_STEPS, self.is_over)
        found += [self._repeated(AGAIN, individual, one) for one in later]
        if identities:
            found += self._in_other_interpreters(individual, reference)
        if doubtful and not _changes_status(reference, found, other_than=CLOCK):
            found += [
                self._repeated(CLOCK, individual, clock_moved_by(shift)) for shift in OTHER_SHIFTS
            ]
            found = [_with_statuses_of(reference, one) for one in found]
        return found

    def _in_other_interpreters(
        self, individual: Individual, reference: Sequence[Exchange]
    ) -> list[Repetition]:
        """Repeat the test with other hashes and addresses.

        When all of them change a status, the application looks up a value by an earlier hash.
        Inside one interpreter both hashes agree, so this is no instability.
        """
        numbers = range(1, OTHER_INTERPRETERS + 1)
        others = [self._repeated(AGAIN, individual, unchanged, one) for one in numbers]
        agreeing = [one for one in others if not _changes_status(reference, [one])]
        return others if agreeing else []

    def _repeated(
        self, name: str, individual: Individual, condition: Condition, interpreter: int = 0
    ) -> Repetition:
        self.executions += 1
        return Repetition(name, self.executor.repeat(individual, condition, interpreter))


def _later(
    draws: int, doubtful: bool, steps: int, is_over: Callable[[], bool]
) -> Iterator[Condition]:
    """Yield at least `steps` conditions for repetitions some seconds later."""
    step, hurries = 0, is_over()
    for place in range(min(draws, 1 if hurries else MOST_CHOSEN_DRAWS)):
        for byte in EXTREMES if hurries or place else EVEN_BYTES:
            step += 1
            yield a_little_later(step, (place, byte))
    wanted = 0 if hurries else steps
    if doubtful or (draws and not hurries):
        wanted = STEPS_IN_DOUBT
    while step < wanted:
        step += 1
        yield a_little_later(step)


def _changes_status(
    reference: Sequence[Exchange],
    repetitions: Sequence[Repetition],
    only: str | None = None,
    other_than: str | None = None,
) -> bool:
    """Say whether a status differs in a repetition, of one condition or of all others."""
    chosen = [
        one
        for one in repetitions
        if one.condition != other_than and (only is None or one.condition == only)
    ]
    return any(fact == STATUS for _call, fact in unstable_facts(reference, chosen))


def _with_statuses_of(reference: Sequence[Exchange], repetition: Repetition) -> Repetition:
    """Return a repetition with the reference's calls in place of those with other statuses."""
    if repetition.condition != CLOCK:
        return repetition
    exchanges = []
    for place, exchange in enumerate(reference):
        known = repetition.exchanges[place : place + 1]
        same = known and not _changes_status([exchange], [Repetition(CLOCK, known)])
        exchanges.append(known[0] if same else exchange)
    return Repetition(repetition.condition, exchanges)
