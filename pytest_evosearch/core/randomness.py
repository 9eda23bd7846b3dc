"""One `Random` per run, handed down; nothing here or elsewhere touches the global one."""

from __future__ import annotations

import hashlib

from pytest_evosearch.core.isolation import random

Random = random.Random
"""The random source that every function of the project takes as an argument."""

LARGEST_SEED = 2**31 - 1
"""Seeds that are drawn stay short enough to be typed again."""


def draw_seed() -> int:
    """Draw a fresh seed from the operating system."""
    return random.SystemRandom().randint(1, LARGEST_SEED)


def derive(seed: int, purpose: str) -> Random:
    """Make an independent source for `purpose`, the same for the same `seed` on every machine."""
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))
