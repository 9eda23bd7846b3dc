"""What a look shows: how far the call got, and what would have passed where it was compared."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import INDIRECT
from pytest_evosearch.instrument.probing.weighing import PASSED
from pytest_evosearch.instrument.probing.weighing import SIGNED
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.colouring import is_colour
from pytest_evosearch.problem.http.doors.stored_values import EQUALITIES
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.filling.adoption import applied
from pytest_evosearch.problem.http.filling.hints import Evidence
from pytest_evosearch.problem.http.filling.hints import Hint
from pytest_evosearch.problem.http.filling.hints import work_out
from pytest_evosearch.problem.http.filling.sent_values import sent_values

InputKey: TypeAlias = "tuple[Location, str]"

FIRST_CRASH = 500


BLAMED_COMPARISONS = 6
"""Comparisons of sent values that are followed; others are no evidence."""

EXAMINED_COMPARISONS = 60
"""Most of the last comparisons that are searched for them."""

HINTS_PER_BLAMED = 5

NAMES_PER_BLAMED = 15
"""Most members of a container or values of a column that are tried: one may be a person."""


def turns_down(exchange: Exchange) -> bool:
    """Say whether the status of a response says that the request was wrong."""
    return FIRST_REFUSAL <= exchange.status < FIRST_CRASH


def is_taken(first: Exchange, last: Exchange) -> bool:
    """Say whether a form that was wrong at first is now accepted, and leads elsewhere."""
    leads_elsewhere = FIRST_REDIRECT <= last.status < FIRST_REFUSAL
    return turns_down(first) and leads_elsewhere and not is_safe(last.request.endpoint)


def crashes_at(exchange: Exchange, target: TargetId) -> bool:
    """Say whether a call has crashed on the line of a comparison."""
    crash = exchange.crash
    return crash is not None and f"{crash.path}:{crash.line}" in target.split(" ")


def is_signed(target: TargetId) -> bool:
    """Say whether a comparison required a token that only the application can sign."""
    return target.startswith(SIGNED)


def sends_token(observation: Observation) -> bool:
    """Say whether a look has sent a JWT where another one was required."""
    signed = [one for one in observation.guidance if is_signed(one.target)]
    return any(str(one.observed).count(".") == 2 for one in signed)


def wants_token(observation: Observation) -> bool:
    """Say whether a look showed a token that would have been accepted."""
    return any(is_signed(each.target) for each in observation.guidance)


def passed_checks(observation: Observation) -> frozenset[TargetId]:
    """Return where checks of libraries have passed."""
    return frozenset(each.target for each in observation.guidance if each.relation == PASSED)


def obstacle_of(observation: Observation) -> str:
    """Return the place of the last comparison, and which inputs the look sent."""
    compared = [each for each in observation.guidance if each.relation in EQUALITIES]
    call = observation.individual.calls[-1]
    names = [given.name or given.location.value for given in call.inputs]
    if not compared or not names:
        return ""
    position = next((word for word in compared[-1].target.split(" ") if ":" in word), "")
    return f"{position} compares what is made of {', '.join(names)}" if position else ""


def opens(shown: Observation, plain: Observation, alone: Observation) -> bool:
    """Say whether a call gets further after another call than `plain`.

    Code that the other call covers `alone` does not count.
    """
    if shown.exchanges[-1].status != plain.exchanges[-1].status:
        return True
    return bool(shown.reached - plain.reached - alone.reached)


def marks_of(observation: Observation) -> set[object]:
    """Return how far a call got: covered code, and comparisons with the types of their operands."""
    marks: set[object] = set(observation.reached)
    for hint in hints_of(observation.individual, observation):
        marks.add((hint.target, hint.key, hint.value_path))
    for comparison in observation.guidance:
        kinds = _kind(comparison.observed), _kind(comparison.wanted)
        marks.add((comparison.target, comparison.relation, *kinds))
    return marks


def _kind(operand: object) -> tuple[str, bool]:
    """Return the type of an operand, and whether it is a non-empty value."""
    return type(operand).__name__, operand not in ("", b"")


def hints_of(
    individual: Individual,
    observation: Observation,
    avoided: Collection[object] = (),
    widely: bool = False,
) -> Iterator[Hint]:
    """Yield the hints of the last comparisons, without values to be avoided.

    With `widely`, follow also what is compared otherwise than for equality: types, lengths, orders.
    Of earlier calls, only texts change that hold a word of their own: others have led here.
    """
    last = len(individual.calls) - 1
    fixed = [
        (each.call, each.key, each.gene_path)
        for each in sent_values(individual, observation.exchanges)
        if isinstance(each.gene.value(), Link)
        or (each.call < last and not is_colour(str(each.value)))
    ]
    blamed = [
        each
        for each in reversed(observation.guidance)
        if each.relation in EQUALITIES or (widely and each.relation not in INDIRECT)
    ]
    left = BLAMED_COMPARISONS
    for comparison in islice(blamed, EXAMINED_COMPARISONS):
        hints = _worked_out(comparison, individual, observation)
        fitting = (
            hint
            for hint in hints
            if (hint.call, hint.key, hint.gene_path) not in fixed
            if hint.value not in avoided
        )
        many = comparison.relation == "in"
        followed = list(islice(fitting, NAMES_PER_BLAMED if many else HINTS_PER_BLAMED))
        yield from followed
        left -= bool(followed)
        if not left:
            return


def _worked_out(
    comparison: Comparison, individual: Individual, observation: Observation
) -> list[Hint]:
    evidence = Evidence(individual, observation.exchanges, 0.0, [comparison])
    return work_out(comparison.target, evidence)


def corrected_at(
    observation: Observation, key: InputKey, place: TargetId, model: EndpointModel, rng: Random
) -> Individual | None:
    """Return the test with the input that a check at `place` required, None if it has it."""
    for hint in hints_of(observation.individual, observation):
        if hint.key == key and hint.target == place:
            return applied(observation.individual, hint, model, rng)
    return None
