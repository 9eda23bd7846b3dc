"""Repeats a test under other circumstances, to know which facts of its answers hold.

    as it was, and under a moved clock             every test
    with other random numbers                      a test that draws some
    some seconds later, other bytes of the system  twice where all repetitions so far agree, else
                                                   four times; twenty where such bytes are drawn
    thirty times more                              a call whose endpoint had two statuses for one
                                                   request in the search; calls that start threads
                                                   which may race
    when threads are done                          calls of which an earlier one starts threads
    with the hashes and addresses of others        a test whose handlers ask for some (`hash`, `id`)

Only a clock that is moved far may change a status without making the test unstable: a token, a
session, a row that was made before the search is out of date by then.  In a fresh interpreter what
the fixtures make is as old as the test, so verification decides (`write.verification`).  It does so
where a clock that is moved by seconds changes nothing, however often.  The values in such answers
are looked at under clocks that are moved less far, or back.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

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
"""Repetitions some seconds later of a test whose other repetitions were all alike.

With two of them the parity of a second shows in one, wherever in its second the test began.
"""

FEWEST_STEPS = 4
"""Repetitions some seconds later of a test whose other repetitions differ somewhere."""

STEPS_IN_DOUBT = 10
"""Repetitions where a far clock changed a status, or bytes of the system were drawn."""

REPETITIONS_IN_DOUBT = 30
"""More repetitions of a test with a call whose endpoint answered otherwise to the same request, or
that starts several threads.

What happens once in ten times is seen by nearly all of so many."""

FEWEST_REPETITIONS = 4
"""Executions that a test costs here at least, where there is time."""

OTHER_INTERPRETERS = 16
"""Repetitions with other hashes and addresses: what one of five decides is seen by nearly all."""

Unstable: TypeAlias = "Mapping[tuple[int, FactPath], str]"


@dataclass
class Instability:
    """Repeats tests with one executor."""

    executor: HttpExecutor
    conditions: Sequence[tuple[str, Condition]]
    """Under which every test is repeated, by what they move; without `CLOCK` it is not ours."""
    is_over: Callable[[], bool]
    """Says whether there is no time for more than the least."""
    is_closed: Callable[[], bool] = lambda: False
    """Says whether there is time for one repetition alone."""
    executions: int = 0

    def differed(self, reference: Sequence[Exchange]) -> Unstable:
        """Return the statuses that differed when the search sent the calls of this test before.

        A server of its own need not be as it was then, so that nothing follows from that.
        """
        if not self._is_ours:
            return {}
        places = self.executor.recollection.contradicted(reference)
        return {(place, STATUS): CHANGES_BETWEEN_RUNS for place in places}

    @property
    def _is_ours(self) -> bool:
        """Say whether the application runs here, and its state comes back."""
        return any(name == CLOCK for name, _condition in self.conditions)

    def repeated(
        self, individual: Individual, reference: Sequence[Exchange], is_known: bool = False
    ) -> list[Repetition]:
        """Execute a test again, and return what it exchanged each time.

        What only a far clock does to a status is taken out.  One that is known, as it was repeated
        in another process, is executed as it is, to see whether it answers here as it does there.
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
        """Repeat with other hashes and addresses.

        Where all of them change a status, something that was hashed before is looked for now: in
        one interpreter both agree, so that is no instability.
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
    """Yield the conditions under which a test is repeated some seconds later, `steps` at least."""
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
    """Say whether a status differs in some repetition, of one condition or of all others."""
    chosen = [
        one
        for one in repetitions
        if one.condition != other_than and (only is None or one.condition == only)
    ]
    return any(fact == STATUS for _call, fact in unstable_facts(reference, chosen))


def _with_statuses_of(reference: Sequence[Exchange], repetition: Repetition) -> Repetition:
    """Return a repetition with the calls of the reference in the place of others' statuses."""
    if repetition.condition != CLOCK:
        return repetition
    exchanges = []
    for place, exchange in enumerate(reference):
        known = repetition.exchanges[place : place + 1]
        same = known and not _changes_status([exchange], [Repetition(CLOCK, known)])
        exchanges.append(known[0] if same else exchange)
    return Repetition(repetition.condition, exchanges)
