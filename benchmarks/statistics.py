"""The statistics that the field compares randomised algorithms with.

Arcuri and Briand, "A Hitchhiker's guide to statistical tests for assessing randomized
algorithms in software engineering", 2014.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# Up to here the test is exact; above it the normal approximation is as good.
LARGEST_EXACT = 60


@dataclass(frozen=True)
class Spread:
    """The middle of a sample and its quartiles."""

    median: float
    lower: float
    upper: float

    @property
    def interquartile_range(self) -> float:
        """Return the distance between the quartiles."""
        return self.upper - self.lower


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the sample lies, interpolated linearly.

    Raises:
        ValueError: for an empty sample or a share outside [0, 1].

    """
    if not values:
        raise ValueError("a quantile needs at least one value")
    if not 0 <= share <= 1:
        raise ValueError(f"{share} is no share between 0 and 1")
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def median(values: Sequence[float]) -> float:
    """Return the middle value, or the mean of the two middle ones."""
    return quantile(values, 0.5)


def spread(values: Sequence[float]) -> Spread:
    """Summarise a sample by its median and quartiles."""
    return Spread(quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75))


def vargha_delaney(first: Sequence[float], second: Sequence[float]) -> float:
    """Estimate how likely a value of the first sample is larger than one of the second.

    The effect size A12 (Vargha and Delaney 2000): 0.5 means no difference, 1.0 that the
    first is always larger; ties count half.
    """
    if not first or not second:
        raise ValueError("both samples need at least one value")
    larger = sum(x > y for x in first for y in second)
    equal = sum(x == y for x in first for y in second)
    return (larger + equal / 2) / (len(first) * len(second))


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p-value of the Mann-Whitney U test.

    Exact (the permutation distribution of the observed ranks, ties included) for small
    samples, else the normal approximation with corrections for ties and continuity.
    """
    if not first or not second:
        raise ValueError("both samples need at least one value")
    ranks = doubled_ranks([*first, *second])
    if len(ranks) <= LARGEST_EXACT:
        return exact_p_value(ranks, len(first))
    return approximate_p_value(ranks, len(first))


def doubled_ranks(values: Sequence[float]) -> list[int]:
    """Rank the values from 1, ties sharing their mean rank; doubled, so that all are whole."""
    ordered = sorted(values)
    return [
        ordered.index(value) + 1 + len(ordered) - ordered[::-1].index(value) for value in values
    ]


def exact_p_value(ranks: Sequence[int], size: int) -> float:
    """Count the choices of `size` ranks whose sum is at least as far from the mean."""
    # counts[k][s]: how many ways there are to choose k ranks that sum up to s.
    counts: list[dict[int, int]] = [{0: 1}] + [{} for _ in range(size)]
    for rank in ranks:
        for chosen in range(size, 0, -1):
            for total, ways in counts[chosen - 1].items():
                counts[chosen][total + rank] = counts[chosen].get(total + rank, 0) + ways
    observed = deviation(sum(ranks[:size]), ranks, size)
    extreme = sum(
        ways for total, ways in counts[size].items() if deviation(total, ranks, size) >= observed
    )
    return extreme / math.comb(len(ranks), size)


def deviation(total: int, ranks: Sequence[int], size: int) -> int:
    """Return how far a sum of `size` ranks is from the mean such sum, times their number."""
    return abs(total * len(ranks) - sum(ranks) * size)


def approximate_p_value(ranks: Sequence[int], size: int) -> float:
    """Approximate the p-value by a normal distribution."""
    number, other = len(ranks), len(ranks) - size
    ties = sum(ranks.count(rank) ** 3 - ranks.count(rank) for rank in sorted(set(ranks)))
    variance = size * other / 12 * (number + 1 - ties / (number * (number - 1)))
    if variance == 0:
        return 1.0
    distance = abs(sum(ranks[:size]) / 2 - size * (number + 1) / 2)
    return math.erfc(max(distance - 0.5, 0.0) / math.sqrt(2 * variance))


def kruskal_wallis(samples: Sequence[Sequence[float]]) -> float:
    """Return the p-value of the test of Kruskal and Wallis, that all samples are of one kind.

    Ties are corrected; the statistic is compared with the chi-squared distribution.
    """
    values = [value for sample in samples for value in sample]
    size, ranks = len(values), doubled_ranks(values)
    ties = sum(count**3 - count for count in Counter(values).values())
    if ties == size**3 - size:
        return 1.0
    total, begun = 0.0, 0
    for sample in samples:
        total += (sum(ranks[begun : begun + len(sample)]) / 2) ** 2 / len(sample)
        begun += len(sample)
    statistic = 12 / (size * (size + 1)) * total - 3 * (size + 1)
    return chi_squared_tail(statistic / (1 - ties / (size**3 - size)), len(samples) - 1)


def chi_squared_tail(statistic: float, degrees: int) -> float:
    """Return how likely a chi-squared value is at least this large."""
    half, shape = statistic / 2, degrees / 2
    if half <= 0:
        return 1.0
    term = total = 1 / shape
    number = shape
    while term > total * 1e-12:
        number += 1
        term *= half / number
        total += term
    return max(0.0, 1 - total * math.exp(shape * math.log(half) - half - math.lgamma(shape)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method, in the given order."""
    corrected, greatest = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for done, place in enumerate(order):
        greatest = max(greatest, min(1.0, p_values[place] * (len(p_values) - done)))
        corrected[place] = greatest
    return corrected


def area_under_curve(points: Sequence[tuple[float, float]], end: float) -> float:
    """Return the mean height of a curve of steps from 0 to `end`.

    Args:
        points: times and heights, by time; the height is 0 before the first.
        end: where the curve ends; later points are left out.

    """
    if end <= 0:
        raise ValueError("a curve needs a length")
    area, time, height = 0.0, 0.0, 0.0
    for next_time, next_height in points:
        if next_time >= end:
            break
        area += height * (next_time - time)
        time, height = next_time, next_height
    return (area + height * (end - time)) / end
