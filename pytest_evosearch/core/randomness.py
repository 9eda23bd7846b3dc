"""One `Random` for each run, passed as an argument; no code touches the global one."""

from __future__ import annotations

import hashlib

from pytest_evosearch.core.isolation import random

Random = random.Random
"""The source of randomness that functions of this project take as an argument."""

LARGEST_SEED = 2**31 - 1
"""Largest seed that is drawn: short enough to be typed again."""


def draw_seed() -> int:
    """Draw a new seed from the operating system."""
    return random.SystemRandom().randint(1, LARGEST_SEED)


def derive(seed: int, purpose: str) -> Random:
    """Make an independent source for `purpose`; one `seed` gives equal sources on every machine."""
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))
