"""Numbers at the boundary of a comparison.

Any number on its side covers a branch: one of ten, then a thousand.  ``stock < quantity`` and
``stock <= quantity`` differ at a single number, and so do a limit of 30 and one of 31.

    for each minimised test, served ones first, that sends a number of its own in its last call
        ask what the call compares that number with, by order
        send that number, one less and one more
        where two neighbours are answered with another status, or reach other code:
            both are tests, unless a test of the endpoint sends the number there already

Boundary value analysis after G. J. Myers, "The Art of Software Testing", chapter 4; the boundaries
are those that the run shows, of constants as of stored values.  Nothing is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from itertools import pairwise

from pytest_evosearch.engine.telling_numbers import Result
from pytest_evosearch.engine.telling_numbers import Sent
from pytest_evosearch.engine.telling_numbers import code_of
from pytest_evosearch.engine.telling_numbers import numbers_of
from pytest_evosearch.engine.telling_numbers import with_number
from pytest_evosearch.execution.base import FullEvaluation
from pytest_evosearch.execution.http import takes_too_long
from pytest_evosearch.instrument.distance import ORDERINGS
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.observed import exchanges_of
from pytest_evosearch.problem.http.observed import observed

LARGEST = 10**9
"""A boundary beyond is that of a database or a machine, not of the application."""

MOST_BOUNDARIES = 6
"""Of an endpoint that are looked for; each costs three executions."""

FIRST_REFUSAL = 400
FIRST_FAILURE = 500

Place = tuple[str, str, str]
"""Endpoint, input and, in a body of JSON, path of a number."""


@dataclass
class Boundaries:
    """Looks for boundaries in the last calls of minimised tests."""

    execute: Callable[[Individual], FullEvaluation[Individual]]
    compared: Callable[[Individual], Sequence[Comparison]]
    """Executes a test and returns what its last call compared."""
    is_over: Callable[[], bool]
    _sent: set[tuple[Place, float]] = field(default_factory=set)
    _requests: set[str] = field(default_factory=set)
    _looked_for: set[tuple[Place, int]] = field(default_factory=set)
    _counts: Counter[str] = field(default_factory=Counter)

    def added(self, results: Iterable[Result]) -> list[Result]:
        """Return tests at both sides of the boundaries that no test of `results` stands at."""
        bases = [evaluation for evaluation, _duty in results]
        for base in bases:
            individual = base.evaluation.individual
            self._requests.add(_requests_of(base))
            self._sent |= {
                (place_of(individual, sent), number) for sent, number in numbers_of(individual)
            }
        found: list[Result] = []
        for base in sorted(bases, key=lambda one: _status_of(one) >= FIRST_REFUSAL):
            if _status_of(base) < FIRST_FAILURE and not observed(base.evaluation).faults:
                found += self._at_boundaries_of(base.evaluation.individual)
        return found

    def _at_boundaries_of(self, individual: Individual) -> Iterator[Result]:
        for sent, boundary in self._boundaries(individual):
            around = range(boundary - 1, boundary + 2)
            tests = [self._execution(individual, sent, number) for number in around]
            for (number, one), (after, other) in pairwise(zip(around, tests, strict=True)):
                if one is not None and other is not None and _differ(one, other):
                    yield from self._news(individual, sent, ((number, one), (after, other)))

    def _boundaries(self, individual: Individual) -> Iterator[tuple[Sent, int]]:
        """Yield where the last call holds a number, and a whole number that it is compared with."""
        numbers = list(numbers_of(individual))
        endpoint = individual.calls[-1].endpoint
        if not numbers or self._counts[endpoint] >= MOST_BOUNDARIES or self.is_over():
            return
        for comparison in self.compared(individual):
            boundary = _whole(comparison.wanted)
            if comparison.relation not in ORDERINGS or boundary is None:
                continue
            for sent, number in numbers:
                key = place_of(individual, sent), boundary
                is_new = number == comparison.observed and key not in self._looked_for
                if is_new and self._counts[endpoint] < MOST_BOUNDARIES and not self.is_over():
                    self._looked_for.add(key)
                    self._counts[endpoint] += 1
                    yield sent, boundary

    def _execution(
        self, individual: Individual, sent: Sent, number: int
    ) -> FullEvaluation[Individual] | None:
        """Execute the test with another number; None where that cannot be sent, or fails."""
        changed = with_number(individual, sent, (number,))
        if changed is None or self.is_over():
            return None
        found = self.execute(changed)
        observation = observed(found.evaluation)
        in_time = len(observation.exchanges) == len(individual)
        in_time = in_time and not takes_too_long(observation.exchanges)
        is_sound = in_time and not observation.faults and _status_of(found) < FIRST_FAILURE
        return found if is_sound else None

    def _news(
        self,
        individual: Individual,
        sent: Sent,
        sides: Iterable[tuple[int, FullEvaluation[Individual]]],
    ) -> Iterator[Result]:
        for number, evaluation in sides:
            key, requests = (place_of(individual, sent), float(number)), _requests_of(evaluation)
            if key not in self._sent and requests not in self._requests:
                self._sent.add(key)
                self._requests.add(requests)
                yield evaluation, code_of(evaluation)


def place_of(individual: Individual, sent: Sent) -> Place:
    """Name the place of a number, the same for all tests of an endpoint."""
    index, path = sent
    call = individual.calls[-1]
    given = call.inputs[index]
    inside = repr(path) if given.location is Location.JSON else ""  # genes of two kinds hold it
    return call.endpoint, f"{given.location.value} {given.name}", inside


def _whole(value: object) -> int | None:
    """Return a whole number that an application may have for a boundary."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) <= LARGEST and value == int(value) else None


def _differ(one: FullEvaluation[Individual], other: FullEvaluation[Individual]) -> bool:
    return _status_of(one) != _status_of(other) or code_of(one) != code_of(other)


def _requests_of(evaluation: FullEvaluation[Individual]) -> str:
    """Return a text that is equal for two tests that send the same: 300 and "300" in an address."""
    return repr(
        [_as_sent(one.request, one.user) for one in observed(evaluation.evaluation).exchanges]
    )


def _as_sent(request: Request, user: str | None) -> tuple[str | None, Request]:
    spelt = replace(
        request,
        path={name: str(value) for name, value in request.path.items()},
        query=tuple((name, str(value)) for name, value in request.query),
        form=tuple((name, str(value)) for name, value in request.form),
    )
    return user, spelt


def _status_of(evaluation: FullEvaluation[Individual]) -> int:
    return exchanges_of(evaluation.evaluation)[-1].status
