"""Selection: tournaments, preference sorting, non-dominated fronts, sub-vector dominance.

    front 0   for each uncovered target the test with the best h (ties: the shorter test)
    front k   of the remaining tests those that no other remaining test dominates, and so on
    survivors whole fronts while they fit; of the front that does not fit, the tests that
              stand out most by sub-vector dominance

Only uncovered targets are objectives.  The vector of a test has an entry for each target that it
reaches; other targets count as 0.  So the cost depends on what the tests reach, and not on how many
targets exist.

Sources: A. Panichella, F. Kifetew, P. Tonella, "Reformulating branch coverage as a many-objective
optimization problem", ICST 2015 (preference sorting); M. Köppen, K. Yoshida, "Substitute distance
assignments in NSGA-II for handling many-objective optimization problems", EMO 2007 (sub-vector
dominance).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"

Vector = Mapping[TargetId, float]
"""Values above 0 of one test, for the present objectives only."""


@dataclass(frozen=True)
class Objectives:
    """What the selection aims at now."""

    includes: Callable[[TargetId], bool]
    """Says whether a reached target is an objective."""
    unreached: Callable[[int], bool] = lambda _touched: False
    """Says whether there are more objectives than the number that the tests touch."""


@dataclass(frozen=True)
class Ranked(Generic[I]):
    """A test with its place in the sorting."""

    evaluation: Evaluation[I]
    rank: int
    """Number of its front; 0 is the best."""
    distinction: float = 0.0
    """How far it stands out in its front; more is better."""

    @property
    def order(self) -> tuple[int, float, tuple[int, int]]:
        """Return the key by which tests are compared; the smaller key is better."""
        return (self.rank, -self.distinction, self.evaluation.size)


def tournament(ranked: Sequence[Ranked[I]], size: int, rng: Random) -> Ranked[I]:
    """Draw `size` tests with replacement and return the best one, the first drawn on a tie."""
    drawn = [ranked[rng.randrange(len(ranked))] for _ in range(size)]
    return min(drawn, key=lambda contender: contender.order)


def select_survivors(
    pool: Sequence[Evaluation[I]], objectives: Objectives, capacity: int
) -> list[Ranked[I]]:
    """Return the `capacity` best tests of `pool`, the best front first."""
    vectors = [_vector(evaluation, objectives) for evaluation in pool]
    survivors: list[Ranked[I]] = []
    rest = list(range(len(pool)))
    rank = 0
    while rest and len(survivors) < capacity:
        front = (
            _preference_front(pool, vectors, objectives)
            if rank == 0
            else nondominated(rest, vectors)
        )
        chosen = set(front)
        rest = [index for index in rest if index not in chosen]
        survivors += _ranked_front(pool, vectors, front, rank)[: capacity - len(survivors)]
        rank += 1
    return survivors


def _preference_front(
    pool: Sequence[Evaluation[I]], vectors: Sequence[Vector], objectives: Objectives
) -> list[int]:
    preferred: dict[TargetId, int] = {}
    for index, vector in enumerate(vectors):
        for target, score in vector.items():
            rival = preferred.get(target)
            if rival is None or (-score, pool[index].size) < (
                -vectors[rival][target],
                pool[rival].size,
            ):
                preferred[target] = index
    front = set(preferred.values())
    if pool and objectives.unreached(len(preferred)):
        # All tests are equally far (0) from a target that none reaches: the shortest is best.
        front.add(min(range(len(pool)), key=lambda index: pool[index].size))
    return sorted(front)


def nondominated(candidates: Sequence[int], vectors: Sequence[Vector]) -> list[int]:
    """Return those of `candidates` whose vector no other candidate's vector dominates."""
    return [
        index
        for index in candidates
        if not any(dominates(vectors[other], vectors[index]) for other in candidates)
    ]


def dominates(left: Vector, right: Vector) -> bool:
    """Say whether `left` is nowhere worse than `right` and somewhere better."""
    # A converged population has many equal vectors, which the interpreter compares quickly.
    if len(left) < len(right) or left == right:
        return False
    better = len(left) > len(right)
    for target, score in right.items():
        value = left.get(target, 0.0)
        if value < score:
            return False
        better = better or value > score
    return better


def distinctions(vectors: Sequence[Vector]) -> list[float]:
    """Return for each vector the least number of objectives on which it beats another one.

    This is sub-vector dominance: a small number means that another vector is hardly ever worse.
    The only vector of a front has an infinite number.
    """
    return [
        _least_advantage(vector, [other for place, other in enumerate(vectors) if place != index])
        for index, vector in enumerate(vectors)
    ]


def _least_advantage(vector: Vector, others: Sequence[Vector]) -> float:
    least = float("inf")
    if vector in others:  # an equal vector gives 0, and is found without comparing every target
        return 0
    for other in others:
        advantage = 0
        for target, score in vector.items():
            if score > other.get(target, 0.0):
                advantage += 1
                if advantage >= least:
                    break
        least = min(least, advantage)
        if not least:
            break
    return least


def _vector(evaluation: Evaluation[I], objectives: Objectives) -> Vector:
    includes = objectives.includes
    return {target: score for target, score in evaluation.scores.items() if includes(target)}


def _ranked_front(
    pool: Sequence[Evaluation[I]], vectors: Sequence[Vector], front: Sequence[int], rank: int
) -> list[Ranked[I]]:
    distinction = distinctions([vectors[index] for index in front])
    ranked = [
        Ranked(pool[index], rank, value) for index, value in zip(front, distinction, strict=True)
    ]
    return sorted(ranked, key=lambda member: member.order)
