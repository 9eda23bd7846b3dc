"""Compares many containers with their contents at once, without a Python step for each.

Only in a group with a difference is each container looked at; one that has changed is compared
alone from then on, because it will change again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.sut.state.kept_values import LARGE
from pytest_evosearch.sut.state.kept_values import Kept

GROUP = 256
"""Number of containers in a group: when one has changed, each is checked separately."""


class Group:
    """Some kept containers of one kind that are compared together."""

    def __init__(self, members: Sequence[Kept]) -> None:
        self.members = members
        self._compare()

    def _compare(self) -> None:
        members = self.members
        self._are_unchanged = members[0].kind.compared(members) if members else lambda: True
        self._with_counts = [one for one in members if one.counts]

    def is_unchanged(self) -> bool:
        """Say whether all have their former content."""
        try:
            return self._are_unchanged() and not any(
                one.moved_counts() for one in self._with_counts
            )
        except Exception:  # objects of the application may refuse a comparison
            return False

    def divided(self) -> list[Group]:
        """Compare without what has changed from now on; return each of that, alone."""
        if len(self.members) == 1:
            return [self]
        alone = [Group([one]) for one in self.members]
        changed = [one for one in alone if not one.is_unchanged()]
        gone = {id(one.members[0]) for one in changed}
        self.members = [one for one in self.members if id(one) not in gone]
        self._compare()
        return changed

    def bring_back(self) -> list[str]:
        """Restore the members; return the places that had changed."""
        places = [place for one in self.members for place in one.bring_back()]
        if self._with_counts:
            self._compare()  # a count that has moved was made again
        return places


def grouped(members: Iterable[Kept]) -> list[Group]:
    """Divide `members` into groups of one kind."""
    kinds: dict[object, list[Kept]] = defaultdict(list)
    for one in members:
        kinds[id(one.kind), len(one.content) > LARGE].append(one)
    starts = [(all_, start) for all_ in kinds.values() for start in range(0, len(all_), GROUP)]
    return [Group(all_[start : start + GROUP]) for all_, start in starts]


def bring_back(groups: list[Group]) -> list[str]:
    """Restore what has changed; return its places."""
    places: list[str] = []
    for group in [one for one in groups if not one.is_unchanged()]:
        changed = group.divided()
        groups += [one for one in changed if one is not group]
        for one in changed:
            places += one.bring_back()
    return places
