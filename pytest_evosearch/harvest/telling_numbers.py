"""Chooses numbers with which a response shows what was calculated.

The simplest number that reaches a branch is mostly 0 or 1, which hides many mistakes: ``0.0 * 2``
equals ``0.0 + 0.0``, and an empty sum is right whatever its terms are. When responses contain
calculated numbers, other numbers are tried in the last call:

    in the place of those that a test sends, where it still covers all that it did
    in a test of its own, where it covers what no test shows by a calculated number so far

So the response also shows the covered code (checked coverage). Nothing is random, and no test gets
more calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.quantities import Sent
from pytest_evosearch.harvest.quantities import number_from
from pytest_evosearch.harvest.quantities import numbers_of
from pytest_evosearch.harvest.quantities import with_number
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.json_places import walk_json
from pytest_evosearch.problem.http.exchanges.observed import observed

ORDINARY = (3, 0.5, 5, 2, 7, 1.5, 10)
"""Numbers to try, in an order in which neighbours differ in size and kind."""

SMALLEST, LARGEST = 1e-3, 1e6
"""Range of ordinary numbers, except 1: multiplying by it changes nothing."""

MOST_TESTS = 12
"""Most tests of an endpoint whose numbers are varied; each takes at most two dozen executions."""

MOST_ADDED = 4
"""Most added tests of an endpoint: a few show each branch of a calculation."""

Result: TypeAlias = tuple[FullEvaluation[Individual], frozenset[TargetId]]
"""A minimised test, and the targets that it vouches for."""


@dataclass(frozen=True)
class _Look:
    """The numbers that a test sends and shows."""

    evaluation: FullEvaluation[Individual]
    endpoint: str
    places: tuple[Sent, ...]
    """Places of numbers in its last call."""
    peculiar: tuple[Sent, ...]
    """Places of numbers that are not ordinary."""
    shown: Mapping[ValuePath, float]
    """The numbers of the response, NaN for places with a number only in other responses."""
    sent: frozenset[float]

    @property
    def covered(self) -> frozenset[TargetId]:
        """The targets that the last call covers."""
        return self.evaluation.covered_by_call[-1]

    @property
    def code(self) -> frozenset[TargetId]:
        """The statements and branches among those targets."""
        return code_of(self.evaluation)

    @property
    def shows_result(self) -> bool:
        """Say whether the response contains an ordinary number that was not sent."""
        return any(map(self._is_calculated, self.shown.values()))

    def differs(self, other: _Look) -> bool:
        """Say whether a calculated number of this response differs in the other one."""
        return any(
            self._is_calculated(number) and other.shown.get(place) != number
            for place, number in self.shown.items()
        )

    def _is_calculated(self, number: float) -> bool:
        return is_ordinary(number) and number not in self.sent

    @property
    def rank(self) -> tuple[bool, int]:
        """Return a rank; greater is better."""
        return self.shows_result, -len(self.peculiar)

    @property
    def is_best(self) -> bool:
        """Say whether no better numbers are possible."""
        return self.shows_result and not self.peculiar


@dataclass
class TellingNumbers:
    """Varies the numbers of minimised tests."""

    execute: Callable[[Individual], FullEvaluation[Individual]]
    is_over: Callable[[], bool]
    added: list[Result] = field(default_factory=list)
    """Tests that only show by a number what others cover."""
    _tried: Counter[str] = field(default_factory=Counter)
    """Endpoint -> number of its tests that were varied."""

    def improved(self, results: Sequence[Result]) -> list[Result]:
        """Return the tests, with other numbers where these show more; note which to add."""
        better = list(results)
        looks: dict[str, list[_Look]] = {}
        found: dict[str, list[_Look]] = {}
        for place, (evaluation, duty) in enumerate(results):
            base = look_at(evaluation)
            if base is None:
                continue
            variants = self._variants(base)
            found.setdefault(base.endpoint, []).extend(variants)
            as_good = (one for one in variants if base.covered <= one.covered)
            best = max((base, *as_good), key=lambda one: one.rank)
            better[place] = best.evaluation, duty
            looks.setdefault(base.endpoint, []).append(best)
        for endpoint, variants in found.items():
            self._add(looks[endpoint], variants)
        return better

    def _variants(self, base: _Look) -> list[_Look]:
        """Return the results with other numbers, when these can improve a test."""
        if base.is_best or self._tried[base.endpoint] >= MOST_TESTS or not self._is_steady(base):
            return []
        self._tried[base.endpoint] += 1
        return list(self._telling(base))

    def _is_steady(self, base: _Look) -> bool:
        """Say whether a test shows equal numbers when it is executed again."""
        if self.is_over():
            return False
        again = look_at(self.execute(base.evaluation.evaluation.individual))
        return again is not None and repr(again.shown) == repr(base.shown)

    def _telling(self, base: _Look) -> Iterator[_Look]:
        """Yield the results with other numbers that show a new calculated number."""
        for individual in numbered(
            base.evaluation.evaluation.individual, base.places, base.peculiar
        ):
            if self.is_over():
                return
            variant = look_at(self.execute(individual))
            if variant is not None and variant.differs(base):
                yield variant

    def _add(self, looks: Sequence[_Look], variants: Sequence[_Look]) -> None:
        covered = frozenset[TargetId]().union(*(one.code for one in looks if one.is_best))
        wanted = frozenset[TargetId]().union(*(one.code for one in looks)) - covered
        for _ in range(MOST_ADDED):
            best = max(variants, key=lambda one: len(one.code & wanted) * one.is_best, default=None)
            if best is None or not best.is_best or not best.code & wanted:
                return
            self.added.append((best.evaluation, best.code & wanted))
            wanted -= best.code


def look_at(evaluation: FullEvaluation[Individual]) -> _Look | None:
    """Return the numbers of a successful test; None without any in its call or its response."""
    observation = observed(evaluation.evaluation)
    individual, act = evaluation.evaluation.individual, observation.exchanges[-1]
    if (
        not 200 <= act.status < 300
        or observation.faults
        or len(observation.exchanges) < len(individual)
    ):
        return None
    shown = dict(shown_numbers(act))
    numbers = dict(numbers_of(individual))
    if not shown or not numbers:
        return None
    return _Look(
        evaluation,
        act.request.endpoint,
        tuple(numbers),
        tuple(place for place, number in numbers.items() if not is_ordinary(number)),
        shown,
        frozenset(numbers.values()),
    )


def code_of(evaluation: FullEvaluation[Individual]) -> frozenset[TargetId]:
    """Return the statements and branches that the last call of a test covers."""
    covered = evaluation.covered_by_call[-1]
    return frozenset(one for one in covered if kind_of(one) in (LINE, BRANCH))


def is_ordinary(number: float) -> bool:
    """Say whether a number changes the result of calculations with it."""
    return SMALLEST <= abs(number) <= LARGEST and abs(number) != 1


def numbered(
    individual: Individual, places: Sequence[Sent], peculiar: Sequence[Sent]
) -> Iterator[Individual]:
    """Yield the test with ordinary numbers in its last call: few of them first, then all."""
    seen = {individual}
    groups = [*((place,) for place in peculiar), tuple(peculiar), tuple(places)]
    for group in groups:
        for start in range(len(ORDINARY) if len(group) > 1 else 3):
            changed = _with_numbers(individual, group, start)
            if changed is not None and changed not in seen:
                seen.add(changed)
                yield changed


def _with_numbers(individual: Individual, places: Sequence[Sent], start: int) -> Individual | None:
    changed: Individual | None = individual
    for offset, place in enumerate(places):
        numbers = (
            ORDINARY[(start + offset + step) % len(ORDINARY)] for step in range(len(ORDINARY))
        )
        changed = changed and with_number(changed, place, numbers)
    return changed


def shown_numbers(exchange: Exchange) -> Iterator[tuple[ValuePath, float]]:
    """Yield the numbers of a response that is JSON, or a text with only a number."""
    response = exchange.response
    if response is None or response.truncated or response.live:
        return
    try:
        body = response.json() if response.is_json else response.text
    except ValueError:
        return
    for place, value in walk_json(body):
        number = number_from(value)
        if number is not None:
            yield place, number
