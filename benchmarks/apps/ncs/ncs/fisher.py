"""Fisher's F distribution."""

from __future__ import annotations

import math

from ncs.java import divide
from ncs.java import halve
from ncs.java import int32
from ncs.java import power
from ncs.java import square_root

ONE_OVER_PI = 0.3183098862


def fisher_distribution(m: int, n: int, x: float) -> float:
    """Compute the distribution function at x, with m and n degrees of freedom."""
    # 1 for an odd number, 2 for an even one, 3 for a negative odd one.
    a = int32(2 * halve(m) - m + 2)
    b = int32(2 * halve(n) - n + 2)
    w = divide(x * m, n)
    z = divide(1.0, 1.0 + w)

    if a == 1:
        if b == 1:
            p = square_root(w)
            d = divide(ONE_OVER_PI * z, p)
            p = 2.0 * ONE_OVER_PI * math.atan(p)
        else:
            p = square_root(w * z)
            d = divide(0.5 * p * z, w)
    elif b == 1:
        p = square_root(z)
        d = 0.5 * z * p
        p = 1.0 - p
    else:
        d = z * z
        p = w * z

    y = divide(2.0 * w, z)
    if a == 1:
        for j in range(b + 2, n + 1, 2):
            d *= (1.0 + 1.0 / (j - 2)) * z
            p += d * y / (j - 1)
    else:
        zk = power(z, halve(int32(n - 1)))
        d *= divide(zk * n, b)
        p = p * zk + divide(w * z * (zk - 1.0), z - 1.0)

    y = w * z
    z = divide(2.0, z)
    b = int32(n - 2)
    for i in range(a + 2, m + 1, 2):
        j = int32(i + b)
        d *= divide(y * j, i - 2)
        p -= divide(z * d, j)

    if p < 0.0:
        return 0.0
    if p > 1.0:
        return 1.0
    return p
