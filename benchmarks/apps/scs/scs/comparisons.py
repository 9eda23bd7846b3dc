"""Comparisons of numbers and strings."""

from __future__ import annotations


def compare_costs(i: int, s: str) -> int:
    """Compare with many constants; the last comparison that holds decides."""
    result = 0
    if i == 5:
        result = 1
    if i < -444:
        result = 2
    if i <= -333:
        result = 3
    if i > 666:
        result = 4
    if i >= 555:
        result = 5
    if i != -4:
        result = 6
    if s == "baab":
        result = 7
    if s > "ababba":
        result = 8
    if s >= "ababba":
        result = 9
    if s != "abab":
        result = 10
    return result


def compare_untyped(i: int, s: str) -> int:
    """Use a number as a number and as a string; the last comparison that holds decides."""
    x = i
    y = i
    result = 0
    if wrap(x + y) == 56:
        result = x
    if "hello" + str(y) == "hello7":
        result = 1
    if "hello" < s:
        result = 2
    if y > 5:
        result = 3
    return result


def wrap(number: int) -> int:
    """Wrap around to 32 bits, as integer overflow does in Java."""
    return (number + 2**31) % 2**32 - 2**31


def order_four(w: str, x: str, y: str, z: str) -> str:
    """Say whether four words of five or six characters are in order."""
    result = "unordered"
    if (
        len(w) >= 5
        and len(w) <= 6
        and len(x) >= 5
        and len(x) <= 6
        and len(y) >= 5
        and len(y) <= 6
        and len(z) >= 5
        and len(z) <= 6
    ):
        if z > y and y > x and x > w:
            result = "increasing"
        elif w > x and x > y and y > z:
            result = "decreasing"
    return result
