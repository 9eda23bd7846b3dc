from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.linkage import LinkageModel
from pytest_evosearch.search.ranking import Objectives
from pytest_evosearch.search.ranking import dominates
from pytest_evosearch.search.ranking import nondominated
from pytest_evosearch.search.ranking import select_survivors

reproducibly = settings(deadline=None, database=None)

VECTORS = strategies.dictionaries(
    strategies.sampled_from("abcd"), strategies.sampled_from([0.2, 0.5, 0.8])
)
POOLS = strategies.lists(VECTORS, max_size=15)
OBJECTIVES = Objectives(includes=lambda target: target != "d")


def evaluations(vectors: list[dict[str, float]]) -> list[Evaluation[int]]:
    return [Evaluation(place, scores, (1, place)) for place, scores in enumerate(vectors)]


@reproducibly
@given(VECTORS, VECTORS, VECTORS)
def test_dominance_is_a_strict_partial_order(
    one: dict[str, float], two: dict[str, float], three: dict[str, float]
) -> None:
    assert not dominates(one, one)
    assert not (dominates(one, two) and dominates(two, one))
    if dominates(one, two) and dominates(two, three):
        assert dominates(one, three)


@reproducibly
@given(POOLS)
def test_a_front_is_nonempty_and_free_of_dominance(vectors: list[dict[str, float]]) -> None:
    front = nondominated(range(len(vectors)), vectors)
    assert bool(front) == bool(vectors)
    assert not any(dominates(vectors[one], vectors[two]) for one in front for two in front)


@reproducibly
@given(POOLS, strategies.integers(1, 20))
def test_survivors_fill_the_capacity_once_each_in_order_of_rank(
    vectors: list[dict[str, float]], capacity: int
) -> None:
    survivors = select_survivors(evaluations(vectors), OBJECTIVES, capacity)
    individuals = [member.evaluation.individual for member in survivors]
    assert len(individuals) == len(set(individuals)) == min(capacity, len(vectors))
    ranks = [member.rank for member in survivors]
    assert ranks == sorted(ranks)


@reproducibly
@given(POOLS)
def test_the_best_of_every_objective_survives_when_there_is_room(
    vectors: list[dict[str, float]],
) -> None:
    survivors = select_survivors(evaluations(vectors), OBJECTIVES, capacity=3)
    for target in "abc":
        best = max((vector.get(target, 0.0) for vector in vectors), default=0.0)
        kept = [member.evaluation.scores.get(target, 0.0) for member in survivors]
        assert max(kept, default=0.0) == best


@reproducibly
@given(strategies.lists(strategies.lists(strategies.sampled_from("abcdefg"), max_size=6)))
def test_a_linkage_tree_is_a_family_of_nested_or_disjoint_sets(tests: list[list[str]]) -> None:
    subsets = LinkageModel.learn(tests).subsets
    actions = {action for test in tests for action in test}
    assert len(set(subsets)) == len(subsets) == max(0, 2 * len(actions) - 1)
    assert not actions or subsets[-1] == actions
    for one, two in combinations(subsets, 2):
        assert one <= two or two <= one or not one & two
