"""The linkage model: which actions belong together, learned from the best tests.

    encode   a test as a binary vector with a 1 for each action that occurs in it
    compare  actions i, j by mutual information MI(i, j) = H(i) + H(j) - H(i, j), in bits
    cluster  by UPGMA: join the two clusters of the greatest average similarity until one
             is left; similarity of a joined cluster = mean over its members (by size)
    family   the 2N - 1 nodes of the tree: N single actions, N - 1 joined sets

Sources: D. Stallenberg, M. Olsthoorn, A. Panichella, "Improving test case generation for REST APIs
through hierarchical clustering", ASE 2021; R. Sokal, C. Michener, "A statistical method for
evaluating systematic relationships", 1958 (UPGMA).

The clustering is implemented here, so that a plugin for pytest needs no numerical library.  It
stores the nearest neighbour of each cluster, which takes about O(N^2) for N actions (N < 300).

The family has 2N - 1 distinct sets; the last one is the set of all actions.  Any two sets are
nested or disjoint.  Equal similarities are joined in the order of the actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import NamedTuple

from pytest_evosearch.core.quick_dataclasses import dataclass


class Merge(NamedTuple):
    """One step of the clustering: the numbers of two clusters, and their similarity.

    Clusters 0 to N - 1 are the single items; step k makes cluster N + k.
    """

    left: int
    right: int
    similarity: float


@dataclass(frozen=True)
class LinkageModel:
    """The sets of actions that recombination moves as one."""

    subsets: tuple[frozenset[str], ...] = ()

    @classmethod
    def learn(cls, tests: Sequence[Sequence[str]]) -> LinkageModel:
        """Learn from the actions of each test; an action that occurs nowhere is left out."""
        actions = sorted({action for test in tests for action in test})
        merges = average_linkage(similarities(actions, tests))
        subsets = [frozenset([action]) for action in actions]
        for merge in merges:
            subsets.append(subsets[merge.left] | subsets[merge.right])
        return cls(tuple(subsets))

    def present_in(self, actions: Sequence[str]) -> list[frozenset[str]]:
        """Return the sets that occur completely among `actions`, in a stable order."""
        available = set(actions)
        return [subset for subset in self.subsets if subset <= available]


def similarities(actions: Sequence[str], tests: Sequence[Sequence[str]]) -> list[list[float]]:
    """Return the symmetric matrix of mutual information between `actions` over `tests`."""
    # The bits of one number are the occurrences of an action in all tests.
    occurrences = dict.fromkeys(actions, 0)
    for place, test in enumerate(tests):
        for action in test:
            occurrences[action] |= 1 << place
    columns = [occurrences[action] for action in actions]
    matrix = [[0.0] * len(columns) for _ in columns]
    for row, first in enumerate(columns):
        for column in range(row):
            value = _mutual_information(first, columns[column], len(tests))
            matrix[row][column] = matrix[column][row] = value
    return matrix


def _mutual_information(first: int, second: int, total: int) -> float:
    both = (first & second).bit_count()
    ones, others = first.bit_count(), second.bit_count()
    joint = _entropy([both, ones - both, others - both, total - ones - others + both], total)
    single = _entropy([ones, total - ones], total) + _entropy([others, total - others], total)
    # Mutual information is never negative, but a sum of rounded logarithms may be.
    return max(0.0, single - joint)


def _entropy(counts: Sequence[int], total: int) -> float:
    return -sum(count / total * log2(count / total) for count in counts if count)


def average_linkage(similarity: Sequence[Sequence[float]]) -> list[Merge]:
    """Cluster N items by UPGMA over a symmetric matrix; return the N - 1 merges in order."""
    clusters = _Clusters(similarity)
    return [clusters.merge_nearest() for _ in range(len(similarity) - 1)]


class _Clusters:
    """The remaining clusters, each with its nearest neighbour among the clusters before it."""

    def __init__(self, similarity: Sequence[Sequence[float]]) -> None:
        self._rows: dict[int, dict[int, float]] = {
            item: {other: value for other, value in enumerate(row) if other != item}
            for item, row in enumerate(similarity)
        }
        self._sizes = dict.fromkeys(self._rows, 1)
        self._nearest = {cluster: self._find_nearest(cluster) for cluster in self._rows}
        self._next = len(self._rows)

    def merge_nearest(self) -> Merge:
        """Join the two most similar clusters; on a tie those with the lowest numbers."""
        left = min(self._nearest, key=lambda cluster: (-self._value(cluster), cluster))
        right = self._nearest[left]
        merge = Merge(min(left, right), max(left, right), self._rows[left][right])
        self._join(merge.left, merge.right)
        return merge

    def _value(self, cluster: int) -> float:
        return self._rows[cluster][self._nearest[cluster]]

    def _find_nearest(self, cluster: int) -> int:
        row = self._rows[cluster]
        return min(row, key=lambda other: (-row[other], other), default=cluster)

    def _join(self, left: int, right: int) -> None:
        joined, self._next = self._next, self._next + 1
        row = self._averaged(self._rows.pop(left), self._rows.pop(right), left, right)
        self._sizes[joined] = self._sizes[left] + self._sizes[right]
        del self._nearest[left], self._nearest[right]
        for other, value in row.items():
            theirs = self._rows[other]
            del theirs[left], theirs[right]
            theirs[joined] = value
            if self._nearest[other] in (left, right):
                self._nearest[other] = self._find_nearest(other)
        self._rows[joined] = row
        self._nearest[joined] = self._find_nearest(joined)

    def _averaged(
        self, first: dict[int, float], second: dict[int, float], left: int, right: int
    ) -> dict[int, float]:
        """Return the joined cluster's similarities: means weighted by the sizes of its parts."""
        one, two = self._sizes[left], self._sizes[right]
        return {
            other: (one * value + two * second[other]) / (one + two)
            for other, value in first.items()
            if other != right
        }
