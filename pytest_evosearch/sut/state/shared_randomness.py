"""Seeds the sources of randomness that everybody shares."""

from __future__ import annotations

import random
import sys


class RandomnessKeeper:
    """Seeds the global random sources, so that the same test meets the same numbers."""

    description = ""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def snapshot(self) -> None:
        """Nothing to remember: the state is given by the seed."""

    def restore(self) -> None:
        """Seed `random`, and NumPy's legacy source when NumPy is loaded."""
        random.seed(self._seed)
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:
            numpy.seed(self._seed)

    def close(self) -> None:
        """Nothing to let go of."""
