"""The remainder of a division, by repeated addition."""

from __future__ import annotations


def remainder(a: int, b: int) -> int:
    """Compute the remainder of a divided by b; -1 if either is zero."""
    result = -1
    multiple = 0

    if a == 0:
        return result
    if b == 0:
        return result

    if a > 0:
        if b > 0:
            while a - multiple >= b:
                multiple += b
                result = a - multiple
        else:
            while a + multiple >= abs(b):
                multiple += b
                result = a + multiple
    elif b > 0:
        while abs(a + multiple) >= b:
            multiple += b
            result = a + multiple
    else:
        while b >= a - multiple:
            multiple += b
            result = abs(a - multiple)
    return result
