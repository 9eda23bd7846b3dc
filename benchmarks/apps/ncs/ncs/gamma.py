"""The incomplete gamma function (Numerical Recipes, section 6.2)."""

from __future__ import annotations

import math

from ncs.java import divide

MAXIMUM_ITERATIONS = 100
PRECISION = 3.0e-7
SMALLEST = 1.0e-30
LANCZOS = (
    76.18009172947146,
    -86.50532032941677,
    24.01409824083091,
    -1.231739572450155,
    0.1208650973866179e-2,
    -0.5395239384953e-5,
)


def incomplete_gamma_q(a: float, x: float) -> float:
    """Compute Q(a, x) = 1 - P(a, x).

    Raises:
        ArithmeticError: for arguments outside the domain, or too large to converge.
    """
    if x < 0.0 or a <= 0.0:
        raise ArithmeticError("bad arguments")
    if x < a + 1.0:
        return 1.0 - series(a, x)
    return continued_fraction(a, x)


def series(a: float, x: float) -> float:
    """Compute P(a, x) by its series, which converges fast for x < a + 1."""
    if x <= 0.0:
        if x < 0.0:
            raise ArithmeticError("x less than 0")
        return 0.0
    shifted = a
    term = total = 1.0 / a
    for _ in range(MAXIMUM_ITERATIONS):
        shifted += 1.0
        term *= x / shifted
        total += term
        if abs(term) < abs(total) * PRECISION:
            return total * math.exp(-x + a * math.log(x) - logarithm_of_gamma(a))
    raise ArithmeticError("a too large")


def continued_fraction(a: float, x: float) -> float:
    """Compute Q(a, x) by Lentz's algorithm, which converges fast for x >= a + 1."""
    b = x + 1.0 - a
    c = 1.0 / SMALLEST
    d = divide(1.0, b)
    h = d
    for i in range(1, MAXIMUM_ITERATIONS + 1):
        an = -i * (i - a)
        b += 2.0
        d = an * d + b
        if abs(d) < SMALLEST:
            d = SMALLEST
        c = b + an / c
        if abs(c) < SMALLEST:
            c = SMALLEST
        d = 1.0 / d
        change = d * c
        h *= change
        if abs(change - 1.0) < PRECISION:
            return math.exp(-x + a * math.log(x) - logarithm_of_gamma(a)) * h
    raise ArithmeticError("a too large")


def logarithm_of_gamma(x: float) -> float:
    """Compute ln(gamma(x)) for x > 0 by Lanczos' approximation."""
    shifted = x + 5.5
    shifted -= (x + 0.5) * math.log(shifted)
    total = 1.000000000190015
    for index, coefficient in enumerate(LANCZOS, start=1):
        total += coefficient / (x + index)
    return -shifted + math.log(2.5066282746310005 * total / x)
