from __future__ import annotations

import math

import pytest

from ncs import java


@pytest.mark.parametrize(
    ("number", "expected"),
    [(5, 5), (2**31, -(2**31)), (-(2**31) - 1, 2**31 - 1), (2**32, 0)],
)
def test_int32_wraps_around(number, expected):
    assert java.int32(number) == expected


@pytest.mark.parametrize(("number", "expected"), [(7, 3), (-7, -3), (-8, -4), (0, 0)])
def test_halve_truncates(number, expected):
    assert java.halve(number) == expected


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [(1.0, 2.0, 0.5), (1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (1.0, -0.0, -math.inf)],
)
def test_divide(numerator, denominator, expected):
    assert java.divide(numerator, denominator) == expected


def test_zero_by_zero_is_not_a_number():
    assert math.isnan(java.divide(0.0, 0.0))


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (2.0, -1, 0.5),
        (0.0, -1, math.inf),
        (-0.0, -1, -math.inf),
        (-1e300, 3, -math.inf),
        (-1e300, 2, math.inf),
    ],
)
def test_power(base, exponent, expected):
    assert java.power(base, exponent) == expected


def test_square_root_of_a_negative_number_is_not_a_number():
    assert math.isnan(java.square_root(-1.0))
    assert java.square_root(4.0) == 2.0
