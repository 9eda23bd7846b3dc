"""The population of one target: the few tests that come closest to covering it.

    insert(member):
        put it in; over capacity: drop the worst (lowest h, then most calls, then oldest)

Invariants: never more members than the capacity of the last insertion; the best value never
falls.  "Longest" counts calls and not bytes: a mutant that is as good and has as many calls
replaces an older one even if its values are longer, which is what lets a search drift
across a plateau.
"""

from __future__ import annotations

from bisect import insort
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.randomness import Random

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"

Member = tuple[float, int, int, I]
"""Value h, calls negated, number of the evaluation, individual: sorts from worst to best.

The number is unique in a population, so that a comparison never gets to the individual.
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
        """The best value of a member, 0 while there is none."""
        return self._members[-1][0] if self._members else 0.0

    @property
    def members(self) -> list[I]:
        """The individuals, the worst first."""
        return [member[3] for member in self._members]

    def insert(self, member: Member[I], capacity: int) -> bool:
        """Take `member` in and drop the worst ones beyond `capacity` (at least 1).

        Returns whether the best value rose.
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
        """Draw one of the `capacity` best members, all equally likely."""
        count = min(capacity, len(self._members))
        return self._members[-1 - rng.randrange(count)]
