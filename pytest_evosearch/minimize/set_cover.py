"""Chooses a small suite that covers everything that a larger one covers.

    essential   every test that alone covers some target
    greedy      then the test with the most new targets per unit of cost, until all is covered
    redundancy  then, from the most expensive test on, every test without which nothing is lost

Greedy weighted set cover (V. Chvatal, "A greedy heuristic for the set-covering problem", 1979) with
lazy evaluation: the gain of a test can only shrink, so only an outdated entry at the top of the
queue must be evaluated again. "Per unit of cost" is what makes written suites readable: without it,
one long test with many targets would be chosen where two short ones cover them.

Invariants: no target is lost; no chosen test is redundant; the order of `coverage` decides ties, so
equal input gives an equal result. Sets of targets are bits of one number, which handles 5,000
targets and 2,000 tests in a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from heapq import heapify
from heapq import heappop
from heapq import heappush
from typing import Any
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId

K = TypeVar("K")

Cost = tuple[Any, ...]
"""Sizes by decreasing weight, such as (calls, bytes); gain is divided by the first, a number."""


def smallest_suite(coverage: Mapping[K, frozenset[TargetId]], cost: Callable[[K], Cost]) -> list[K]:
    """Return few and cheap tests that cover every target of `coverage`, in its order.

    Statuses and faults are targets too, so every status of an endpoint keeps its test.
    """
    keys = list(coverage)
    masks = _bit_masks(coverage.values())
    costs = [cost(key) for key in keys]
    chosen = _essential(masks)
    chosen += _greedy(masks, costs, chosen)
    return [keys[index] for index in sorted(_without_redundant(masks, costs, chosen))]


def by_worth(
    coverage: Mapping[int, frozenset[TargetId]],
    worth: Callable[[int, frozenset[TargetId]], tuple[float, ...]],
) -> list[int]:
    """Return all tests, each before those that add less worth to the tests before it.

    `worth` returns that of a test for the targets that it adds; it must not grow when these get
    fewer.  Greedy budgeted maximum coverage (S. Khuller, A. Moss, J. Naor, 1999), with lazy
    evaluation: where the time for tests ends, those after it would have added least.
    """

    def offer(key: int) -> tuple[Any, ...]:
        return *(-part for part in worth(key, coverage[key] - covered)), key

    covered: set[TargetId] = set()
    ordered = []
    for key in _best_first(coverage, offer):
        ordered.append(key)
        covered |= coverage[key]
    return ordered


def _best_first(keys: Iterable[int], offer: Callable[[int], tuple[Any, ...]]) -> Iterator[int]:
    """Yield the keys with the smallest offer first, where offers only grow meanwhile.

    An offer ends with its key.
    """
    queue = [offer(key) for key in keys]
    heapify(queue)
    while queue:
        key = heappop(queue)[-1]
        weighed = offer(key)
        if queue and weighed > queue[0]:
            heappush(queue, weighed)
        else:
            yield key


def _bit_masks(sets: Iterable[frozenset[TargetId]]) -> list[int]:
    """Return each set as a number; all sets use one bit for one target."""
    bits: dict[TargetId, int] = {}
    masks = []
    for targets in sets:
        mask = 0
        # The bit of a target depends on the hash order of the set, but the result does not: only
        # counts and unions of bits are used.
        for target in targets:
            mask |= bits.setdefault(target, 1 << len(bits))
        masks.append(mask)
    return masks


def _essential(masks: list[int]) -> list[int]:
    """Return the tests that alone cover some target."""
    once = twice = 0
    for mask in masks:
        twice |= once & mask
        once |= mask
    alone = once & ~twice
    return [index for index, mask in enumerate(masks) if mask & alone]


def _greedy(masks: list[int], costs: list[Cost], chosen: list[int]) -> list[int]:
    """Return further tests for targets outside `chosen`, the best gain per cost first."""
    missing = _union(masks) & ~_union(masks[index] for index in chosen)

    def bargain(index: int) -> tuple[Any, ...]:
        gain = (masks[index] & missing).bit_count()
        return (-gain / max(1, costs[index][0]), costs[index], index)

    taken = []
    useful = [index for index, mask in enumerate(masks) if mask & missing]
    for index in _best_first(useful, bargain):
        if not missing:
            break
        taken.append(index)
        missing &= ~masks[index]
    return taken


def _without_redundant(masks: list[int], costs: list[Cost], chosen: list[int]) -> list[int]:
    """Drop tests whose targets are all covered by others, the most expensive and latest first."""
    kept = sorted(chosen, key=lambda index: (costs[index], index), reverse=True)
    # The union of the tests after each one; the union of the tests before it grows in the loop.
    behind = [0]
    for index in reversed(kept[1:]):
        behind.append(behind[-1] | masks[index])
    before = 0
    needed = []
    for index in kept:
        if masks[index] & ~(before | behind.pop()):
            needed.append(index)
            before |= masks[index]
    return needed


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
