"""Choices whose options are in the order of their likelihood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene

FIRST_SHARE = 0.6
"""How often a sample is the first option; each later one is drawn less often than the one before.
"""

STAY_SHARE = 0.8
"""How often a sample stays with the present kind of value."""


def _drawn(count: int, rng: Random) -> int:
    """Return an index below `count`: the first one most often."""
    if rng.random() < FIRST_SHARE:
        return 0
    weights = [1 / (index + 1) for index in range(1, count)]
    return rng.choices(range(1, count), weights)[0] if weights else 0


@dataclass(frozen=True, eq=False)
class LikelyGene(EnumGene):
    """One of several plain values, the usual ones first."""

    may_be_wrong: ClassVar[bool] = False

    def sample(self, rng: Random) -> LikelyGene:
        """Return an option, the first ones more often."""
        return LikelyGene(self.options, _drawn(len(self.options), rng), self.closed)

    def simpler(self) -> Iterator[Gene]:
        """Yield the options that are more usual than the present one."""
        return (replace(self, index=index) for index in range(self.index))

    def adopt(self, value: object) -> EnumGene | None:
        """Choose or add a value of the same type."""
        if self.options and type(value) is not type(self.options[0]):
            return None
        adopted = super().adopt(value)
        return None if adopted is None else LikelyGene(adopted.options, adopted.index, self.closed)


@dataclass(frozen=True)
class LikelyChoiceGene(ChoiceGene):
    """One of several kinds of values; samples mostly stay with the present kind."""

    def sample(self, rng: Random) -> ChoiceGene:
        """Sample the present kind, or seldom any."""
        index = self.index
        if len(self.alternatives) > 1 and rng.random() >= STAY_SHARE:
            index = rng.randrange(len(self.alternatives))
        alternatives = list(self.alternatives)
        alternatives[index] = alternatives[index].sample(rng)
        return LikelyChoiceGene(tuple(alternatives), index)
