"""A calculator whose doubles never raise, as on the JVM."""

from __future__ import annotations

import math


def calculate(op: str, arg1: float, arg2: float) -> float:
    """Apply an operation given by its name; 0.0 for an unknown one."""
    op = op.lower()
    result = 0.0
    if op == "pi":
        result = math.pi
    elif op == "e":
        result = math.e
    elif op == "sqrt":
        result = square_root(arg1)
    elif op == "log":
        result = logarithm(arg1)
    elif op == "sine":
        result = math.nan if math.isinf(arg1) else math.sin(arg1)
    elif op == "cosine":
        result = math.nan if math.isinf(arg1) else math.cos(arg1)
    elif op == "tangent":
        result = math.nan if math.isinf(arg1) else math.tan(arg1)
    elif op == "plus":
        result = arg1 + arg2
    elif op == "subtract":
        result = arg1 - arg2
    elif op == "multiply":
        result = arg1 * arg2
    elif op == "divide":
        result = divide(arg1, arg2)
    return result


def square_root(number: float) -> float:
    """Take the square root; NaN for a negative number."""
    return math.sqrt(number) if number >= 0 else math.nan


def logarithm(number: float) -> float:
    """Take the natural logarithm; of zero it is minus infinity, below zero NaN."""
    if number == 0:
        return -math.inf
    return math.log(number) if number > 0 else math.nan


def divide(numerator: float, denominator: float) -> float:
    """Divide as IEEE 754 does: by zero gives an infinity or NaN."""
    try:
        return numerator / denominator
    except ZeroDivisionError:
        return numerator * math.copysign(math.inf, denominator)
