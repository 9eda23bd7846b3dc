"""Arithmetic as on the JVM: 32-bit integers that wrap, doubles that never raise."""

from __future__ import annotations

import math

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1


def int32(number: int) -> int:
    """Wrap around to 32 bits, as integer overflow does in Java."""
    return (number - INT_MIN) % 2**32 + INT_MIN


def halve(number: int) -> int:
    """Divide by two and truncate towards zero, where Python's ``//`` rounds down."""
    return int(number / 2)


def divide(numerator: float, denominator: float) -> float:
    """Divide as IEEE 754 does: by zero gives an infinity or NaN."""
    try:
        return numerator / denominator
    except ZeroDivisionError:
        return numerator * math.copysign(math.inf, denominator)


def square_root(number: float) -> float:
    """Take the square root; NaN for a negative number."""
    return math.sqrt(number) if number >= 0 else math.nan


def power(base: float, exponent: int) -> float:
    """Raise to an integer power; overflow and 0 to a negative power are infinite."""
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        return math.copysign(math.inf, base) if exponent % 2 else math.inf


def cosine(number: float) -> float:
    """Take the cosine; NaN for an infinite angle."""
    return math.nan if math.isinf(number) else math.cos(number)


def sine(number: float) -> float:
    """Take the sine; NaN for an infinite angle."""
    return math.nan if math.isinf(number) else math.sin(number)
