"""Compares many containers with their copies at once, without a Python step for each.

A large program has ten thousand containers, and a test changes very few of them. So they are
compared in groups. The contents of a group are concatenated and compared with the former contents,
object by object, in C. Only in a group with a difference is each container checked separately.

The comparison is as strict as a separate check: values must be identical, not just equal.
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
"""Number of containers in a group: when one has changed, each is checked separately."""

Comparison = Callable[[], bool]

_end_to_end = chain.from_iterable


def comparison_of_mappings(
    containers: Sequence[dict[Any, Any]], contents: Sequence[dict[Any, Any]]
) -> Comparison:
    """Return a function that says whether dictionaries have their former content."""
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
    """Return a function that says whether lists have their former content."""
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
    """Return a function that says whether modules or classes have their former names.

    `sizes` are the former numbers of names of `owners`. For names in `values`, the value must be
    identical, too.
    """
    spaces = [vars(owner) for owner in owners]
    names = list(_end_to_end(values))
    kept = list(_end_to_end(known.values() for known in values))
    holders = list(_end_to_end(map(repeat, spaces, map(len, values))))
    # The namespace of a module is a dictionary, that of a class a view of one.
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
        """Return the members if some may have changed; usually none."""
        try:
            return () if self._are_unchanged() else self._members
        except Exception:  # objects of the application may refuse a comparison
            return self._members

    def leave_out(self, changed: Iterable[Any]) -> Sequence[Any]:
        """Compare without `changed` from now on; return those to check separately.

        A changed member will change again, and may keep a difference that is not restored.
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
    """Divide `members` into those to check separately, and groups.

    `comparison` returns how to compare a member with others of its kind, None to check it
    separately.
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
