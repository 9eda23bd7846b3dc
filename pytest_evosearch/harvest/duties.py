"""Candidates for tests, and the targets that each must cover."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import accumulate

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.background import Allowance
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.minimize.set_cover import by_worth
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.size import ROW_CALLS
from pytest_evosearch.problem.http.exchanges.size import rows_of
from pytest_evosearch.settings.phase_shares import READY_EXECUTIONS
from pytest_evosearch.settings.time_plan import WRITING_EXECUTIONS
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.specimen import Specimen

BROKEN_PENALTY = 20
"""Calls that an earlier crash counts for: the test is only used when no other is possible."""

SECONDS_PENALTY = 10.0
"""Calls that a second of sleep counts for: people run their tests often."""


@dataclass(frozen=True)
class Candidate:
    """An executed individual as a test: arranging calls and one act."""

    individual: Individual
    act: int
    """Index of the call under test."""
    targets: frozenset[TargetId]
    """The targets that the act covers."""
    broken_arrangement: bool
    """Whether an earlier call crashed or froze."""
    slept: float = 0.0
    """Seconds that the handlers sleep without our shortening."""
    froze: bool = False
    """Whether the act, or a call before it, froze: each execution takes the whole time limit."""
    executed: FullEvaluation[Individual] | None = field(default=None, compare=False, repr=False)
    """The execution that ended with the act; None where further calls followed."""

    @property
    def is_ready(self) -> bool:
        """Say whether the candidate was executed as the test that it would be, without a crash."""
        return self.executed is not None and not self.broken_arrangement and not self.froze

    @property
    def cost(self) -> tuple[float, int]:
        """Return the cost: few calls (an earlier crash counts as many), and little waiting."""
        calls = self.individual.calls[: self.act + 1]
        penalty = BROKEN_PENALTY if self.broken_arrangement else 0
        waiting = SECONDS_PENALTY * self.slept
        rows = ROW_CALLS * rows_of(Individual(calls))
        return (len(calls) + penalty + waiting + rows, sum(len(call.inputs) for call in calls))


def distinct(found: Iterable[Specimen]) -> list[Specimen]:
    """Return the tests, merging those with equal requests and an equal fault, or no fault.

    Two candidates with different duties may be minimised to one request.
    """
    kept: dict[tuple[str, TargetId], Specimen] = {}
    for specimen in found:
        sent = requests_of(specimen)
        fault = specimen.fault.target if specimen.fault is not None else ""
        known = kept.setdefault((sent, fault), specimen)
        kept[sent, fault] = replace(known, targets=known.targets | specimen.targets)
    return list(kept.values())


def requests_of(specimen: Specimen) -> str:
    """Return what a test sends, equal for tests that send the same."""
    return repr([_sent(step) for step in specimen.steps])


def _sent(step: Exchange) -> object:
    """Return the content of a call, without values from earlier responses, which may be random."""
    request = step.request
    plain = replace(request, path={}, query=(), headers=(), form=(), origins={})
    plain = replace(plain, json=None) if isinstance(request.json, dict) else plain
    taken = sorted((repr(place), repr(origin)) for place, origin in request.origins.items())
    return step.user, plain, sorted(map(repr, slots_of(request).items())), taken


def needed(found: Sequence[Specimen], goals: frozenset[TargetId]) -> list[Specimen]:
    """Return the tests that vouch for some goal for which no other test vouches.

    The preparation of one test is often the act of another. The effect that an added read shows is
    a goal, too. A test of a fault is always kept. It vouches for nothing else, because it is
    expected to fail.
    """
    kept = list(found)
    wanted = goals.union(one.effect for one in found if one.effect is not None)
    plain = [one for one in found if one.fault is None]
    counts = Counter(target for one in plain for target in one.vouched & wanted)
    for specimen in sorted(plain, key=lambda one: -len(one.steps)):
        vouched = specimen.vouched & wanted
        if vouched and all(counts[one] > 1 for one in vouched):
            counts.subtract(vouched)
            kept.remove(specimen)
    return kept


def union(sets: Iterable[frozenset[TargetId]]) -> frozenset[TargetId]:
    """Return the targets of any of the sets."""
    return frozenset().union(*sets)


def lost_targets(
    chosen: Iterable[Candidate], results: Iterable[FullEvaluation[Individual]]
) -> frozenset[TargetId]:
    """Return targets of the candidates that no reduced form covers."""
    return union(one.targets for one in chosen) - union(one.covered for one in results)


def exclusive_duties(chosen: Sequence[Candidate]) -> list[frozenset[TargetId]]:
    """Return, for each candidate, the targets that no other one covers."""
    counts = Counter(target for candidate in chosen for target in candidate.targets)
    return [
        frozenset(target for target in candidate.targets if counts[target] == 1)
        for candidate in chosen
    ]


def code_among(targets: Iterable[TargetId]) -> frozenset[TargetId]:
    """Return the lines and sides of branches among targets."""
    return frozenset(one for one in targets if kind_of(one) in (LINE, BRANCH))


def affordable(
    chosen: list[Candidate], seconds: float, allowance: Allowance, quiet: int, losses: Losses
) -> list[Candidate]:
    """Return as many candidates as there is time for, when one execution takes `seconds`.

    Those are returned that are together most worth their time, the others are lost. `quiet` faults
    that are no crash have tests of their own, and a part of the time is theirs.
    """
    most = allowance.most_tests(WRITING_EXECUTIONS, seconds)
    if math.isinf(most):
        return chosen
    ready = most / allowance.most_tests(READY_EXECUTIONS, seconds)
    efforts = [ready if one.is_ready else 1.0 for one in chosen]
    most = max(most / 2, most - quiet)
    if sum(efforts) <= most:
        return chosen
    order = by_worth(
        {place: candidate.targets for place, candidate in enumerate(chosen)},
        lambda place, added: allowance.worth(chosen[place].individual, added),
    )
    number = sum(effort <= most for effort in accumulate(efforts[at] for at in order))
    for late in order[number:]:
        losses.give_up(chosen[late].individual, chosen[late].targets)
    return [chosen[at] for at in order[:number]]
