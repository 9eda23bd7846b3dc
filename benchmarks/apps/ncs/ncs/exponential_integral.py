"""Exponential integrals (Numerical Recipes, section 6.3)."""

from __future__ import annotations

import math

from ncs.java import divide
from ncs.java import int32

MAXIMUM_ITERATIONS = 100
EULER = 0.5772156649
SMALLEST = 1.0e-30
PRECISION = 1.0e-7


def exponential_integral(n: int, x: float) -> float:
    """Compute E_n(x).

    Raises:
        ArithmeticError: for arguments outside the domain.
    """
    if n < 0 or x < 0.0 or (x == 0.0 and (n == 0 or n == 1)):
        raise ArithmeticError("bad arguments")
    if n == 0:
        return math.exp(-x) / x
    if x == 0.0:
        return 1.0 / (n - 1)
    if x > 1.0:
        return continued_fraction(n, x)
    return series(n, x)


def continued_fraction(n: int, x: float) -> float:
    """Compute E_n(x) for x > 1 by Lentz's algorithm."""
    b = x + n
    c = 1.0 / SMALLEST
    d = 1.0 / b
    h = d
    for i in range(1, MAXIMUM_ITERATIONS + 1):
        a = int32(-i * (n - 1 + i))
        b += 2.0
        d = divide(1.0, a * d + b)
        c = b + divide(a, c)
        change = c * d
        h *= change
        if abs(change - 1.0) < PRECISION:
            return h * math.exp(-x)
    raise ArithmeticError("continued fraction failed")


def series(n: int, x: float) -> float:
    """Compute E_n(x) for 0 < x <= 1 by its power series."""
    below = n - 1
    result = 1.0 / below if below != 0 else -math.log(x) - EULER
    factor = 1.0
    for i in range(1, MAXIMUM_ITERATIONS + 1):
        factor *= -x / i
        if i != below:
            change = -factor / (i - below)
        else:
            psi = -EULER
            for k in range(1, below + 1):
                psi += 1.0 / k
            change = factor * (-math.log(x) + psi)
        result += change
        if abs(change) < abs(result) * PRECISION:
            return result
    raise ArithmeticError("series failed")
