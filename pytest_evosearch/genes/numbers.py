"""Random numbers worth trying, small steps between them, and simpler ones.

Plain functions on plain numbers: the genes in `scalars` add bounds and immutability.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pytest_evosearch.core.randomness import Random

SMALL_INTEGERS = (0, 1, 1, 2, 3, 5, 10, -1, 100)
"""Values on which programs branch most often; few, so that two draws often agree."""

LIMITS = (2**31 - 1, -(2**31), 2**31, 2**32, 2**63 - 1, -(2**63), 2**63)
"""Limits of 32 and 64-bit integers, where databases and drivers overflow."""

BEYOND = {1: (2**31, 2**63), -1: (-(2**31) - 1, -(2**63) - 1)}
"""Sign -> the first integers that do not fit into 32 and 64 bits."""

SPECIAL_FLOATS = (math.nan, math.inf, -math.inf, -0.0, 1e308, -1e308, 5e-324, 1e-9)

SMALLEST_EXPONENT = 2
LARGEST_EXPONENT = 24
"""Largest step of bold mutations: 2^24; beyond it, doubling and resampling are quicker."""

SMALLEST_FRACTION_EXPONENT = -12

NARROW = 2**16
"""Size below which a range is deliberate: drawn evenly, and often at its ends."""

LARGEST_RESCALED = 2**96
"""Largest number that is multiplied further: no program distinguishes larger ones."""

BOLD = 0.5
"""Strength from which a mutation may also draw a new value."""


def largest_exponent(strength: float) -> int:
    """Return the largest i of a step of 2^i: 2 for the gentlest mutations, 24 for the boldest."""
    return SMALLEST_EXPONENT + round(strength * (LARGEST_EXPONENT - SMALLEST_EXPONENT))


def draw_integer(rng: Random) -> int:
    """Draw an integer: mostly small, sometimes of any magnitude, rarely a machine limit."""
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(SMALL_INTEGERS)
    if kind < 0.7:
        return rng.randint(-10, 100)
    if kind < 0.9:
        return rng.randint(-1000, 1000)
    if kind < 0.99:
        power = 1 << rng.randint(3, 31)
        near = power + rng.randint(-1, 1) if kind < 0.95 else rng.randint(power, 2 * power)
        return rng.choice((near, near, -near))
    return rng.choice(LIMITS)


def draw_integer_between(rng: Random, minimum: int | None, maximum: int | None) -> int:
    """Draw an integer with `minimum` <= n <= `maximum`; None is unbounded on that side.

    Contradictory bounds, which some schemas have, give `maximum`.
    """
    if minimum is not None and maximum is not None and minimum >= maximum:
        return maximum
    if rng.random() < _boundary_share(minimum, maximum):
        near_edges = boundaries(minimum, maximum)
        if near_edges:
            return rng.choice(near_edges)
    drawn = draw_integer(rng)
    if (minimum is None or drawn >= minimum) and (maximum is None or drawn <= maximum):
        return drawn
    if minimum is not None and maximum is not None and maximum - minimum < NARROW:
        return rng.randint(minimum, maximum)
    # Reflected into the range, so that values in wide ranges stay small and readable.
    if minimum is not None:
        drawn = minimum + abs(drawn)
        return drawn if maximum is None else min(drawn, maximum)
    return (maximum or 0) - abs(drawn)


def _boundary_share(minimum: int | None, maximum: int | None) -> float:
    """Return how often an end is drawn: ends of narrow ranges are deliberate."""
    if minimum is not None and maximum is not None and maximum - minimum < NARROW:
        return 0.25
    return 0.03


def boundaries(minimum: int | None, maximum: int | None) -> list[int]:
    """Return the ends of the range and their inner neighbours, without repetition."""
    near = []
    if minimum is not None:
        near += [minimum, minimum + 1]
    if maximum is not None:
        near += [maximum, maximum - 1]
    inside = [
        number
        for number in near
        if (minimum is None or number >= minimum) and (maximum is None or number <= maximum)
    ]
    return list(dict.fromkeys(inside))


def vary_integer(number: int, rng: Random, strength: float) -> int:
    """Return a neighbour of `number`: mostly plus or minus 2^i, i up to `largest_exponent`."""
    kind = rng.random()
    if kind < 0.75:
        # Far from 0 the steps grow with the number: steps of 2^24 would take too long to halve
        # 2^40.
        exponent = max(largest_exponent(strength), round(strength * number.bit_length()))
        step: int = 1 << rng.randint(0, exponent)
        return number + rng.choice((step, -step))
    if kind < 0.8:
        return -number
    if kind < 0.9:
        return _rescale_integer(number, rng)
    return draw_integer(rng) if strength >= BOLD or kind < 0.92 else number + rng.choice((1, -1))


def _rescale_integer(number: int, rng: Random) -> int:
    """Multiply or divide, so that distant values are a few mutations away."""
    factor = rng.choice((2, 10))
    if rng.random() < 0.5 and abs(number) < LARGEST_RESCALED:
        return number * factor
    return (abs(number) // factor) * (1 if number > 0 else -1)


def simpler_integers(number: int) -> Iterator[int]:
    """Yield integers closer to 0, the simplest first: 0, 1, limits, smaller and smaller steps back.

    The limits are the first numbers beyond 32 and 64 bits, which readers recognise. The steps halve
    (n/2, 3n/4, 7n/8 ... n-1), so repeated minimisation is a binary search for the smallest number
    that works.
    """
    for candidate in (0, 1):
        if simplicity_of_integer(candidate) < simplicity_of_integer(number):
            yield candidate
    if number < -1:
        yield -number
    sign = 1 if number > 0 else -1
    beyond = [limit for limit in BEYOND[sign] if abs(limit) < abs(number)]
    yield from beyond
    removed = abs(number) // 2
    while removed:
        candidate = number - sign * removed
        if candidate not in (0, 1) and candidate not in beyond:
            yield candidate
        removed //= 2


def simplicity_of_integer(number: int) -> tuple[int, bool]:
    """Return a key that orders integers by simplicity: by magnitude, positive ones first."""
    return (abs(number), number < 0)


def draw_float(rng: Random, special: bool = False) -> float:
    """Draw a float: mostly integral or short; with `special`, rarely nan, infinite or extreme."""
    kind = rng.random()
    if kind < 0.35:
        return float(rng.choice(SMALL_INTEGERS))
    if kind < 0.6:
        return round(rng.uniform(-10, 10), rng.randint(1, 2))
    if kind < 0.75:
        return round(rng.random(), rng.randint(1, 3))
    if kind < 0.9:
        return round(rng.uniform(-1000, 1000), rng.randint(0, 2))
    if kind < 0.96 or not special:
        return float(rng.choice((1, -1)) * 10 ** rng.uniform(-6, 9))
    return rng.choice(SPECIAL_FLOATS)


def draw_float_between(
    rng: Random, minimum: float | None, maximum: float | None, special: bool
) -> float:
    """Draw a float with `minimum` <= x <= `maximum`; None is unbounded on that side."""
    edges = [edge for edge in (minimum, maximum) if edge is not None]
    if edges and rng.random() < 0.1:
        return rng.choice(edges)
    drawn = draw_float(rng, special)
    if not edges or (
        (minimum is None or drawn >= minimum) and (maximum is None or drawn <= maximum)
    ):
        return drawn
    if minimum is not None and maximum is not None:
        return _draw_inside(rng, minimum, maximum)
    distance = abs(draw_float(rng))
    return minimum + distance if minimum is not None else edges[0] - distance


def _draw_inside(rng: Random, minimum: float, maximum: float) -> float:
    drawn = minimum + (maximum - minimum) * rng.random()
    short = round(drawn, rng.randint(0, 3))
    return short if minimum <= short <= maximum else min(max(drawn, minimum), maximum)


def vary_float(number: float, rng: Random, strength: float, special: bool) -> float:
    """Return a neighbour of `number`: a step of 2^i (fractions, too), a scaling or a rounding."""
    if not math.isfinite(number):
        return draw_float(rng)
    kind = rng.random()
    if kind < 0.55:
        exponent = rng.randint(SMALLEST_FRACTION_EXPONENT, largest_exponent(strength))
        return number + rng.choice((1, -1)) * 2.0**exponent
    if kind < 0.65:
        return number + rng.choice((1.0, -1.0))
    if kind < 0.8:
        return number * rng.choice((2.0, 0.5, 10.0, 0.1, -1.0, 1 + rng.uniform(-0.1, 0.1)))
    if kind < 0.92:
        return round(number, rng.choice((0, 0, 1, 2, 4)))
    if kind < 0.94 and special:
        return rng.choice(SPECIAL_FLOATS)
    return draw_float(rng) if strength >= BOLD or kind < 0.95 else number + rng.uniform(-1, 1)


def simpler_floats(number: float) -> Iterator[float]:
    """Yield simpler floats, the simplest first: 0, 1, integral, short, then nearer to 0."""
    candidates = [0.0, 1.0]
    if math.isfinite(number):
        candidates += [float(math.trunc(number)), float(math.floor(number)), abs(number)]
        candidates += [round(number, digits) for digits in (1, 2, 4)]
        candidates += [number / 2, float(math.trunc(number / 2))]
        candidates += [math.trunc(number) - math.copysign(1.0, number)]
    present = simplicity_of_float(number)
    yielded: list[float] = []
    for candidate in candidates:
        if candidate not in yielded and simplicity_of_float(candidate) < present:
            yielded.append(candidate)
            yield candidate


def simplicity_of_float(number: float) -> tuple[bool, bool, int, float, bool]:
    """Return a key that orders floats by simplicity.

    The order is: finite before special, integral before fractional, few significant digits, small,
    positive.
    """
    if not math.isfinite(number):
        return (True, False, 0, 0.0 if math.isinf(number) else 1.0, number < 0)
    fractional = not number.is_integer()
    digits = len(repr(number)) if fractional else 0
    return (False, fractional, digits, abs(number), math.copysign(1.0, number) < 0)
