"""Bessel functions of the first kind (Numerical Recipes, section 6.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ncs.java import cosine
from ncs.java import divide
from ncs.java import sine

# The larger it is, the higher the downward recurrence starts and the more digits are right.
ACCURACY = 40.0
TOO_BIG = 1.0e10
SCALE_DOWN = 1.0e-10

# Coefficients of the approximations, by ascending powers.
J0_NUMERATOR = (
    57568490574.0,
    -13362590354.0,
    651619640.7,
    -11214424.18,
    77392.33017,
    -184.9052456,
)
J0_DENOMINATOR = (57568490411.0, 1029532985.0, 9494680.718, 59272.64853, 267.8532712, 1.0)
J0_P = (1.0, -0.1098628627e-2, 0.2734510407e-4, -0.2073370639e-5, 0.2093887211e-6)
J0_Q = (-0.1562499995e-1, 0.1430488765e-3, -0.6911147651e-5, 0.7621095161e-6, -0.934935152e-7)
J1_NUMERATOR = (
    72362614232.0,
    -7895059235.0,
    242396853.1,
    -2972611.439,
    15704.48260,
    -30.16036606,
)
J1_DENOMINATOR = (144725228442.0, 2300535178.0, 18583304.74, 99447.43394, 376.9991397, 1.0)
J1_P = (1.0, 0.183105e-2, -0.3516396496e-4, 0.2457520174e-5, -0.240337019e-6)
J1_Q = (0.04687499995, -0.2002690873e-3, 0.8449199096e-5, -0.88228987e-6, 0.105787412e-6)


def bessel_j(n: int, x: float) -> float:
    """Compute J_n(x) for an order of at least 2."""
    if n < 2:
        raise ArithmeticError("the order must be at least 2")
    magnitude = abs(x)
    if magnitude == 0.0:
        return 0.0
    result = recur_upward(n, magnitude) if magnitude > n else recur_downward(n, magnitude)
    if x < 0.0 and n % 2 == 1:
        return -result
    return result


def recur_upward(n: int, x: float) -> float:
    """Compute J_n(x) from J_0 and J_1, which is stable for x > n."""
    two_over_x = 2.0 / x
    previous = bessel_j0(x)
    current = bessel_j1(x)
    for j in range(1, n):
        previous, current = current, j * two_over_x * current - previous
    return current


def recur_downward(n: int, x: float) -> float:
    """Compute J_n(x) by Miller's algorithm, from an order far above n."""
    two_over_x = 2.0 / x
    start = 2 * ((n + math.floor(math.sqrt(ACCURACY * n) + 0.5)) // 2)
    add_to_sum = False
    above = result = total = 0.0
    current = 1.0
    for j in range(start, 0, -1):
        below = j * two_over_x * current - above
        above = current
        current = below
        if abs(current) > TOO_BIG:
            current *= SCALE_DOWN
            above *= SCALE_DOWN
            result *= SCALE_DOWN
            total *= SCALE_DOWN
        if add_to_sum:
            total += current
        add_to_sum = not add_to_sum
        if j == n:
            result = above
    return divide(result, 2.0 * total - current)


def bessel_j0(x: float) -> float:
    """Compute J_0(x)."""
    magnitude = abs(x)
    if magnitude < 8.0:
        y = x * x
        return polynomial(J0_NUMERATOR, y) / polynomial(J0_DENOMINATOR, y)
    z = 8.0 / magnitude
    return asymptotic(
        magnitude, magnitude - 0.785398164, polynomial(J0_P, z * z), z * polynomial(J0_Q, z * z)
    )


def bessel_j1(x: float) -> float:
    """Compute J_1(x)."""
    magnitude = abs(x)
    if magnitude < 8.0:
        y = x * x
        return x * polynomial(J1_NUMERATOR, y) / polynomial(J1_DENOMINATOR, y)
    z = 8.0 / magnitude
    result = asymptotic(
        magnitude, magnitude - 2.356194491, polynomial(J1_P, z * z), z * polynomial(J1_Q, z * z)
    )
    if x < 0.0:
        return -result
    return result


def asymptotic(x: float, phase: float, p: float, q: float) -> float:
    """Approximate a Bessel function for large x (at least 8)."""
    return math.sqrt(0.636619772 / x) * (cosine(phase) * p - sine(phase) * q)


def polynomial(coefficients: Sequence[float], x: float) -> float:
    """Evaluate a polynomial, its coefficients given by ascending powers (Horner)."""
    result = 0.0
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    return result
