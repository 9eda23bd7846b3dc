"""Adds tests with numbers and lengths at the boundary of a comparison.

Any number on one side covers a branch: ten as well as a thousand. ``stock < quantity`` and ``stock
<= quantity`` differ at a single number. So do a limit of 30 and one of 31, for numbers and for
lengths of texts.

    for each minimised test, successes first, that sends a number or a text in its last call
        find the numbers with which the call compares (by order) that number or length,
            and the limits in validators and documents
        send such a number or length, one less and one more
        where two neighbours get different statuses, or reach different code:
            omit what both send alike, as long as they still differ in that way
            both are tests, unless a test of the endpoint sends that size already

Boundary value analysis after G. J. Myers, "The Art of Software Testing", chapter 4; the boundaries
come from the run, and may be constants or stored values. Nothing is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.judging import takes_too_long
from pytest_evosearch.harvest.quantities import LENGTH
from pytest_evosearch.harvest.quantities import Described
from pytest_evosearch.harvest.quantities import Place
from pytest_evosearch.harvest.quantities import Quantity
from pytest_evosearch.harvest.quantities import nothing_described
from pytest_evosearch.harvest.quantities import quantities_of
from pytest_evosearch.harvest.telling_numbers import Result
from pytest_evosearch.harvest.telling_numbers import code_of
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.minimize.pieces import Piece
from pytest_evosearch.minimize.pieces import pieces_of
from pytest_evosearch.minimize.pieces import without_pieces
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed

LARGEST = 10**9
"""Largest boundary of an application; a larger one belongs to a database or a machine."""

MOST_BOUNDARIES = 6
"""Most boundaries per endpoint, for numbers and for lengths.

Each takes three executions, and two for each input that may be unnecessary.
"""

FIRST_FAILURE = 500

Side: TypeAlias = tuple[int, FullEvaluation[Individual]]
"""A size beside a boundary, and the result of a test with it."""

Contrast: TypeAlias = tuple[Side, Side]
"""Two neighbouring sizes with different results."""


@dataclass
class Boundaries:
    """Looks for boundaries in the last calls of minimised tests."""

    execute: Callable[[Individual], FullEvaluation[Individual]]
    compared: Callable[[Individual], Sequence[Comparison]]
    """Executes a test and returns the comparisons of its last call."""
    is_over: Callable[[], bool]
    described: Described = nothing_described
    _sent: set[tuple[Place, float]] = field(default_factory=set)
    _requests: set[str] = field(default_factory=set)
    _looked_for: set[tuple[Place, int]] = field(default_factory=set)
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Endpoint and compared quantity -> number of examined boundaries."""
    _needed: set[Piece] = field(default_factory=set)
    """Parts of requests without which the two sides of some boundary do not differ."""

    def added(self, results: Iterable[Result]) -> list[Result]:
        """Return tests at both sides of boundaries without a test in `results`."""
        bases = [evaluation for evaluation, _duty in results]
        for base in bases:
            self._requests.add(_requests_of(base))
            quantities = quantities_of(base.evaluation.individual, self.described)
            self._sent |= {(quantity.place, quantity.size) for quantity in quantities}
        found: list[Result] = []
        for base in sorted(bases, key=lambda one: _status_of(one) >= FIRST_REFUSAL):
            if _status_of(base) < FIRST_FAILURE and not observed(base.evaluation).faults:
                found += self._at_boundaries_of(base)
        return found

    def _at_boundaries_of(self, base: FullEvaluation[Individual]) -> Iterator[Result]:
        """Yield the tests beside each boundary; on one side, the result does not change."""
        individual, status = base.evaluation.individual, _status_of(base)
        for quantity, boundary in self._boundaries(individual):
            for variant in quantity.variants:
                contrasts = self._contrasts(len(individual), variant, boundary)
                sides = [side for contrast in contrasts for side in contrast]
                if any(_status_of(side) == status for _size, side in sides):
                    for contrast in contrasts:
                        yield from self._news(quantity.place, contrast)
                    break

    def _boundaries(self, individual: Individual) -> Iterator[tuple[Quantity, int]]:
        """Yield the last call's quantities with the whole numbers that may be their boundaries."""
        quantities = [
            one for one in quantities_of(individual, self.described) if self._may_look_for(one)
        ]
        if not quantities or self.is_over():
            return
        for quantity, limit in self._limits(individual, quantities):
            boundary = _whole(limit)
            is_new = boundary is not None and (quantity.place, boundary) not in self._looked_for
            if boundary is not None and is_new and self._may_look_for(quantity):
                self._looked_for.add((quantity.place, boundary))
                self._counts[_kind(quantity)] += 1
                yield quantity, boundary

    def _limits(
        self, individual: Individual, quantities: Iterable[Quantity]
    ) -> Iterator[tuple[Quantity, object]]:
        """Yield quantities with values that the last call compares, then with declared limits."""
        for comparison in self.compared(individual):
            for quantity in quantities:
                yield quantity, quantity.limit_in(comparison)
        for quantity in quantities:
            for limit in quantity.limits:
                yield quantity, limit

    def _may_look_for(self, quantity: Quantity) -> bool:
        return self._counts[_kind(quantity)] < MOST_BOUNDARIES and not self.is_over()

    def _contrasts(
        self, calls: int, variant: Callable[[int], Individual | None], boundary: int
    ) -> list[Contrast]:
        """Return the neighbouring sizes around a boundary whose results differ."""
        around = range(boundary - 1, boundary + 2)
        tests = [self._execution(calls, variant(size)) for size in around]
        return [
            ((size, one), (after, other))
            for (size, one), (after, other) in pairwise(zip(around, tests, strict=True))
            if one is not None and other is not None and _differ(one, other)
        ]

    def _execution(
        self, calls: int, individual: Individual | None
    ) -> FullEvaluation[Individual] | None:
        """Execute a test of so many calls; None when it cannot be sent, fails or covers nothing.

        A call that reaches another endpoint, or none (an address with -1), does not count.
        """
        if individual is None or self.is_over():
            return None
        found = self.execute(individual)
        observation = observed(found.evaluation)
        is_whole = len(observation.exchanges) == calls and bool(found.covered_by_call[-1])
        takes_long = takes_too_long(observation.exchanges)
        is_sound = not observation.faults and _status_of(found) < FIRST_FAILURE
        return found if is_whole and is_sound and not takes_long else None

    def _news(self, place: Place, contrast: Contrast) -> Iterator[Result]:
        """Yield the sides of a boundary that no test shows yet, without unnecessary inputs."""
        if all((place, float(size)) in self._sent for size, _evaluation in contrast):
            return
        for size, evaluation in self._bare(contrast):
            key, requests = (place, float(size)), _requests_of(evaluation)
            if key not in self._sent and requests not in self._requests:
                if place[-1] == LENGTH and not size and self._is_as_without(evaluation):
                    continue
                if place[-1] == LENGTH and size == 1 and contrast[0][0] == 0:
                    continue  # any text is as good
                self._sent.add(key)
                self._requests.add(requests)
                yield evaluation, code_of(evaluation) or evaluation.covered_by_call[-1]

    def _is_as_without(self, evaluation: FullEvaluation[Individual]) -> bool:
        """Say whether an empty text is answered as none at all: then it is no side of a limit."""
        individual = evaluation.evaluation.individual
        last = individual.calls[-1]
        empty = [piece for piece, value in pieces_of(last).items() if value == ""]
        shorter = individual.with_call(len(individual) - 1, without_pieces(last, empty))
        found = self._execution(len(individual), shorter)
        return found is not None and not _differ(found, evaluation)

    def _bare(self, contrast: Contrast) -> Contrast:
        """Return the two sides without inputs that do not matter for their difference."""
        for piece in _common_pieces(contrast):
            if piece not in self._needed:
                barer = self._without(piece, contrast)
                self._needed.update(() if barer is not None else (piece,))
                contrast = barer or contrast
        return contrast

    def _without(self, piece: Piece, contrast: Contrast) -> Contrast | None:
        """Return two sides without a part of their last calls; None when it matters."""
        barer: list[Side] = []
        for size, side in contrast:
            shorter = _without_piece(side.evaluation.individual, piece)
            found = self._execution(len(shorter), shorter)
            if found is None or _status_of(found) != _status_of(side):
                return None
            barer.append((size, found))
        one, other = barer
        return (one, other) if _is_same_contrast((one, other), contrast) else None


def _common_pieces(contrast: Contrast) -> list[Piece]:
    """Return the parts of two last calls that are equal in both."""
    one, other = (pieces_of(side.evaluation.individual.calls[-1]) for _size, side in contrast)
    return [piece for piece, value in one.items() if piece in other and other[piece] == value]


def _without_piece(individual: Individual, piece: Piece) -> Individual:
    last = individual.calls[-1]
    return individual.with_call(len(individual) - 1, without_pieces(last, {piece}))


def _is_same_contrast(barer: Contrast, contrast: Contrast) -> bool:
    """Say whether two sides still differ in the same way.

    One side reaches the same code that the other one does not. The other one may go far beyond the
    comparison, where an input matters for other reasons.
    """
    (_, one), (_, other) = barer
    if not _differ(one, other):
        return False
    differences = list(zip(_differences(barer), _differences(contrast), strict=True))
    same = any(now == before for now, before in differences if before)
    return same or not any(before for _now, before in differences)


def _differences(contrast: Contrast) -> Iterator[frozenset[TargetId]]:
    """Yield the code that only the first side reaches, then that of the second one."""
    (_, one), (_, other) = contrast
    yield code_of(one) - code_of(other)
    yield code_of(other) - code_of(one)


def _kind(quantity: Quantity) -> tuple[str, str]:
    endpoint, _input, _inside, measure = quantity.place
    return endpoint, measure


def _whole(value: object) -> int | None:
    """Return a whole number that may be a boundary of an application."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) <= LARGEST and value == int(value) else None


def _differ(one: FullEvaluation[Individual], other: FullEvaluation[Individual]) -> bool:
    """Say whether two tests differ visibly; a test cannot assert a difference of equal refusals."""
    if _status_of(one) != _status_of(other):
        return True
    is_refused = _status_of(one) >= FIRST_REFUSAL
    return code_of(one) != code_of(other) and not (is_refused and _text_of(one) == _text_of(other))


def _text_of(evaluation: FullEvaluation[Individual]) -> str:
    response = exchanges_of(evaluation.evaluation)[-1].response
    return response.text if response is not None else ""


def _requests_of(evaluation: FullEvaluation[Individual]) -> str:
    """Return a text that is equal for tests with equal requests: 300 and "300" in an address."""
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
