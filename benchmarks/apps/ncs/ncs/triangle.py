"""Kinds of triangles."""

from __future__ import annotations

NOT_A_TRIANGLE = 0
SCALENE = 1
ISOSCELES = 2
EQUILATERAL = 3


def classify(a: int, b: int, c: int) -> int:
    """Say what kind of triangle has these sides.

    Nothing wraps around here: the sides are positive when they are subtracted.
    """
    if a <= 0 or b <= 0 or c <= 0:
        return NOT_A_TRIANGLE
    if a == b and b == c:
        return EQUILATERAL

    longest = max(a, b, c)
    if (
        (longest == a and longest - b - c >= 0)
        or (longest == b and longest - a - c >= 0)
        or (longest == c and longest - a - b >= 0)
    ):
        return NOT_A_TRIANGLE

    if a == b or b == c or a == c:
        return ISOSCELES
    return SCALENE
