"""Expected p-values are those of scipy.stats.mannwhitneyu."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies

from benchmarks import statistics

SAMPLES = strategies.lists(strategies.integers(0, 9), min_size=1, max_size=8)

# 35 and 40 values with many ties: too many for the exact distribution.
LARGE = (
    [number * 7 % 21 for number in range(35)],
    [5 + number * 11 % 18 for number in range(40)],
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3], (3, 3, 3)), ([1, 2], (1.5, 1.25, 1.75)), ([4, 1, 3, 2, 5], (3, 2, 4))],
)
def test_spread(values, expected):
    result = statistics.spread(values)

    assert (result.median, result.lower, result.upper) == expected
    assert result.interquartile_range == expected[2] - expected[1]


def test_quantile_refuses_an_empty_sample():
    with pytest.raises(ValueError, match="at least one"):
        statistics.quantile([], 0.5)


def test_quantile_refuses_what_is_no_share():
    with pytest.raises(ValueError, match="no share"):
        statistics.quantile([1], 1.5)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [([2, 3], [1], 1.0), ([1], [2, 3], 0.0), ([1], [1], 0.5), ([1, 2, 3], [2], 0.5)],
)
def test_vargha_delaney(first, second, expected):
    assert statistics.vargha_delaney(first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.007936507936507936),
        ([3, 1, 7, 9, 12], [2, 4, 6, 8, 5.5], 0.6904761904761905),
        ([1, 4, 9], [2, 3, 5, 7], 1.0),
        (*LARGE, 2.1846482708075487e-05),
    ],
    ids=["apart", "mixed", "same", "large"],
)
def test_mann_whitney(first, second, expected):
    assert statistics.mann_whitney(first, second) == pytest.approx(expected)


def test_mann_whitney_of_one_value_only():
    assert statistics.mann_whitney([7] * 40, [7] * 40) == 1.0


@pytest.mark.parametrize("compare", [statistics.mann_whitney, statistics.vargha_delaney])
def test_an_empty_sample_is_refused(compare):
    with pytest.raises(ValueError, match="both samples"):
        compare([], [1])


@given(SAMPLES, SAMPLES)
def test_swapping_the_samples_mirrors_the_effect_and_keeps_the_p_value(first, second):
    effect = statistics.vargha_delaney(first, second)
    p_value = statistics.mann_whitney(first, second)

    assert statistics.vargha_delaney(second, first) == pytest.approx(1 - effect)
    assert statistics.mann_whitney(second, first) == pytest.approx(p_value)
    assert 0 < p_value <= 1


@given(SAMPLES)
def test_a_sample_does_not_differ_from_itself(values):
    assert statistics.mann_whitney(values, values) == 1.0
    assert statistics.vargha_delaney(values, values) == 0.5


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([], 0.0),
        ([(0, 4)], 4.0),
        ([(5, 4)], 2.0),
        ([(0, 2), (5, 4)], 3.0),
        ([(0, 2), (10, 9)], 2.0),
    ],
)
def test_area_under_curve(points, expected):
    assert math.isclose(statistics.area_under_curve(points, 10), expected)


def test_area_under_a_curve_without_length_is_refused():
    with pytest.raises(ValueError, match="length"):
        statistics.area_under_curve([], 0)


def test_kruskal_and_wallis_agree_with_published_values():
    """Hollander and Wolfe's data of mucociliary efficiency: 0.7714, p 0.68."""
    normal, blocked, dusty = (
        [2.9, 3.0, 2.5, 2.6, 3.2],
        [3.8, 2.7, 4.0, 2.4],
        [2.8, 3.4, 3.7, 2.2, 2.0],
    )
    assert statistics.kruskal_wallis([normal, blocked, dusty]) == pytest.approx(0.68, abs=0.001)
    assert statistics.kruskal_wallis([[1, 1], [1, 1]]) == 1.0
    assert statistics.kruskal_wallis([[1, 2, 3, 4, 5], [11, 12, 13, 14, 15]]) < 0.01


def test_the_tail_of_chi_squared_is_that_of_the_tables():
    for value, degrees, expected in ((3.841, 1, 0.05), (11.070, 5, 0.05), (15.086, 5, 0.01)):
        assert statistics.chi_squared_tail(value, degrees) == pytest.approx(expected, abs=1e-4)


def test_holm_corrects_the_smallest_most_and_keeps_the_order():
    assert statistics.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert statistics.holm([0.5, 0.9]) == [1.0, 1.0]
