"""The population of one target: the few tests that come closest to covering it.

    insert(member):
        put it in; over capacity: drop the worst (lowest h, then most calls, then oldest)

There are never more members than the capacity of the last insertion.  The best value never falls.
The length of a test is its number of calls, not of bytes.  A mutant with equal value and as many
calls replaces an older test, even if its texts are longer.  So a search can move across a plateau.
"""

from __future__ import annotations

from bisect import insort
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.randomness import Random

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"

Member = tuple[float, int, int, I]
"""Value h, calls negated, number of the evaluation, individual: sorts from worst to best.

The number is unique in a population.  So a comparison never reaches the individual.
"""


class Population(Generic[I]):
    """Members of one target in order, the worst first."""

    __slots__ = ("_members",)

    def __init__(self) -> None:
        self._members: list[Member[I]] = []

    def __len__(self) -> int:
        return len(self._members)

    @property
    def best(self) -> float:
        """Return the best value of a member; 0 while there is none."""
        return self._members[-1][0] if self._members else 0.0

    @property
    def members(self) -> list[I]:
        """Return the individuals, the worst first."""
        return [member[3] for member in self._members]

    def insert(self, member: Member[I], capacity: int) -> bool:
        """Insert `member` and drop the worst members beyond `capacity` (at least 1).

        Return whether the best value has risen.
        """
        members = self._members
        if not members:
            members.append(member)
            return True
        if len(members) >= capacity and member < members[-capacity]:
            return False
        improved = member[0] > members[-1][0]
        insort(members, member)
        if len(members) > capacity:
            del members[: len(members) - capacity]
        return improved

    def choose(self, rng: Random, capacity: int) -> Member[I]:
        """Draw one of the `capacity` best members, all with equal probability."""
        count = min(capacity, len(self._members))
        return self._members[-1 - rng.randrange(count)]
