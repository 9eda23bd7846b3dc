"""Seeds the global sources of randomness."""

from __future__ import annotations

import random
import sys


class RandomnessKeeper:
    """Seeds the global random sources, so that equal tests get equal numbers."""

    description = ""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def snapshot(self) -> None:
        """Do nothing: the seed determines the state."""

    def restore(self) -> None:
        """Seed `random`, and NumPy's legacy source if NumPy is loaded."""
        random.seed(self._seed)
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:
            numpy.seed(self._seed)

    def close(self) -> None:
        """Do nothing: no resources are held."""
