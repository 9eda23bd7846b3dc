"""Compares many containers with their copies at once, without a step of Python for each.

A large program has ten thousand containers, and a test changes next to none of them.  So they are
compared in groups: what all of a group hold is laid end to end, and compared with what they held,
object by object, in C.  Only in a group that differs each container is looked at by itself.

The comparison is as strict as looking at each: the values are the same objects, not equal ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import chain
from itertools import repeat
from operator import is_
from types import MappingProxyType
from typing import Any

GROUP = 256
"""Containers that are compared together: it costs as much to look at each when one has changed."""

Comparison = Callable[[], bool]

_end_to_end = chain.from_iterable


def comparison_of_mappings(
    containers: Sequence[dict[Any, Any]], contents: Sequence[dict[Any, Any]]
) -> Comparison:
    """Return a function that says whether dictionaries hold what they did."""
    lengths = [len(content) for content in contents]
    keys = list(_end_to_end(contents))
    values = list(_end_to_end(content.values() for content in contents))

    def are_unchanged() -> bool:
        return (
            [*map(dict.__len__, containers)] == lengths
            and all(map(is_, _end_to_end(map(dict.values, containers)), values))
            and [*_end_to_end(map(dict.__iter__, containers))] == keys
        )

    return are_unchanged


def comparison_of_lists(
    containers: Sequence[list[Any]], contents: Sequence[list[Any]]
) -> Comparison:
    """Return a function that says whether lists hold what they did."""
    lengths = [len(content) for content in contents]
    values = list(_end_to_end(contents))

    def are_unchanged() -> bool:
        return [*map(list.__len__, containers)] == lengths and all(
            map(is_, _end_to_end(map(list.__iter__, containers)), values)
        )

    return are_unchanged


def comparison_of_namespaces(
    owners: Sequence[Any], values: Sequence[Mapping[str, Any]], sizes: Sequence[int]
) -> Comparison:
    """Return a function that says whether modules or classes have the names that they had.

    Each of `owners` had `sizes` names; of those in `values` the value counts, too.
    """
    spaces = [vars(owner) for owner in owners]
    names = list(_end_to_end(values))
    kept = list(_end_to_end(known.values() for known in values))
    holders = list(_end_to_end(map(repeat, spaces, map(len, values))))
    # A namespace is a dictionary (of a module) or a view of one (of a class).
    get = dict.get if all(type(space) is dict for space in spaces) else MappingProxyType.get
    known_sizes = list(sizes)

    def are_unchanged() -> bool:
        return [*map(len, spaces)] == known_sizes and all(map(is_, map(get, holders, names), kept))

    return are_unchanged


class Group:
    """Some kept objects that are compared together."""

    def __init__(
        self, members: Sequence[Any], compared: Callable[[Sequence[Any]], Comparison]
    ) -> None:
        self._members = list(members)
        self._compared = compared
        self._are_unchanged = compared(self._members)

    def suspects(self) -> Sequence[Any]:
        """Return the members of which some may have changed; none, usually."""
        try:
            return () if self._are_unchanged() else self._members
        except Exception:  # what the application put there may refuse anything
            return self._members

    def leave_out(self, changed: Iterable[Any]) -> Sequence[Any]:
        """Compare the others from now on; return those that have to be looked at each.

        What has `changed` will do so again, and something may differ that is not brought back.
        """
        gone = {id(member): member for member in changed}
        rest = [member for member in self._members if id(member) not in gone]
        differing = [member for member in rest if not self._is_unchanged(member)]
        gone.update((id(member), member) for member in differing)
        self._members = [member for member in rest if id(member) not in gone]
        self._are_unchanged = self._compared(self._members)
        return list(gone.values())

    def _is_unchanged(self, member: Any) -> bool:
        try:
            return self._compared([member])()
        except Exception:
            return False


def grouped(
    members: Iterable[Any],
    comparison: Callable[[Any], Callable[[Sequence[Any]], Comparison] | None],
) -> tuple[list[Any], list[Group]]:
    """Divide `members` into those that have to be looked at each, and groups.

    `comparison` says how a member is compared with others of its kind, None for not at all.
    """
    alone: list[Any] = []
    kinds: dict[Callable[[Sequence[Any]], Comparison], list[Any]] = defaultdict(list)
    for member in members:
        compared = comparison(member)
        if compared is None:
            alone.append(member)
        else:
            kinds[compared].append(member)
    groups = [Group(part, compared) for compared, all_ in kinds.items() for part in _parts(all_)]
    return alone, groups


def _parts(members: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(members), GROUP):
        yield members[start : start + GROUP]
