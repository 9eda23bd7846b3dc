from __future__ import annotations

import time
from math import log2

import pytest

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.search.linkage import LinkageModel
from pytest_evosearch.search.linkage import average_linkage
from pytest_evosearch.search.linkage import similarities


def random_similarities(count: int, seed: int = 1) -> list[list[float]]:
    rng = Random(seed)
    matrix = [[0.0] * count for _ in range(count)]
    for row in range(count):
        for column in range(row):
            matrix[row][column] = matrix[column][row] = rng.random()
    return matrix


def test_mutual_information_of_equal_opposite_and_independent_actions() -> None:
    tests = [["a", "b"], ["a", "b", "d"], ["c"], ["c", "d"]]
    matrix = similarities(["a", "b", "c", "d"], tests)
    assert matrix[0][1] == pytest.approx(1.0)  # always together
    assert matrix[0][2] == pytest.approx(1.0)  # never together tells as much
    assert matrix[0][3] == pytest.approx(0.0)  # nothing to do with each other


def test_mutual_information_by_hand() -> None:
    tests = [["a", "b"], ["a"], [], []]
    # H(a) = 1, H(b) = H(1/4), H(a, b) = 1/2 * 1 + 2 * 1/4 * 2
    entropy_of_b = -(0.25 * log2(0.25) + 0.75 * log2(0.75))
    assert similarities(["a", "b"], tests)[0][1] == pytest.approx(1 + entropy_of_b - 1.5)


def test_average_linkage_by_hand() -> None:
    matrix = [
        [0.0, 0.9, 0.4, 0.2],
        [0.9, 0.0, 0.6, 0.1],
        [0.4, 0.6, 0.0, 0.3],
        [0.2, 0.1, 0.3, 0.0],
    ]
    merges = average_linkage(matrix)
    assert [(merge.left, merge.right) for merge in merges] == [(0, 1), (2, 4), (3, 5)]
    assert [merge.similarity for merge in merges] == pytest.approx([0.9, 0.5, 0.2])


def test_ties_are_joined_in_order() -> None:
    merges = average_linkage([[0.5] * 4 for _ in range(4)])
    assert [(merge.left, merge.right) for merge in merges] == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("seed", range(5))
def test_average_linkage_agrees_with_scipy(seed: int) -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    distance = pytest.importorskip("scipy.spatial.distance")
    numpy = pytest.importorskip("numpy")
    matrix = random_similarities(40, seed)
    distances = 1.0 - numpy.array(matrix)
    numpy.fill_diagonal(distances, 0.0)
    theirs = hierarchy.linkage(distance.squareform(distances), method="average")
    ours = average_linkage(matrix)
    assert [sorted((merge.left, merge.right)) for merge in ours] == [
        sorted((int(row[0]), int(row[1]))) for row in theirs
    ]
    assert [1 - merge.similarity for merge in ours] == pytest.approx([row[2] for row in theirs])


def test_few_items_need_few_merges() -> None:
    assert average_linkage([]) == []
    assert average_linkage([[0.0]]) == []


def test_a_model_keeps_together_what_occurs_together() -> None:
    tests = [["login", "buy"], ["login", "buy"], ["list"], ["read"], ["list", "read"]]
    model = LinkageModel.learn(tests)
    assert frozenset({"login", "buy"}) in model.subsets
    assert len(model.subsets) == 7
    assert model.subsets[-1] == {"login", "buy", "list", "read"}


def test_candidates_are_wholly_present_in_the_donor() -> None:
    model = LinkageModel.learn([["a", "b"], ["a", "b"], ["c"]])
    present = model.present_in(["b", "x", "a", "a"])
    assert present == [frozenset({"a"}), frozenset({"b"}), frozenset({"a", "b"})]
    assert model.present_in(["x"]) == []
    assert LinkageModel.learn([]).subsets == ()


def test_three_hundred_actions_are_clustered_quickly() -> None:
    matrix = random_similarities(300)
    started = time.process_time()
    assert len(average_linkage(matrix)) == 299
    assert time.process_time() - started < 1.5
