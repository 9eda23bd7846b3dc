"""Finds what of a JSON answer is otherwise than in the same answer before the call under test.

The item that was restocked is rarely the first one of the list that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias

JsonPath: TypeAlias = "tuple[str | int, ...]"

_IDENTIFIERS = ("id", "_id", "uuid", "pk", "slug", "key", "name")
"""Keys by which an item of a list is told from its neighbours, the surest first."""


def changed_places(now: object, before: object, path: JsonPath = ()) -> Iterator[JsonPath]:
    """Yield the places in `now` that differ from `before`, in their order.

    An object's keys are compared one by one, items of lists with the one that has the same
    identifier.  Of what is new as a whole only the place itself is told.
    """
    if now == before:
        return
    if isinstance(now, Mapping) and isinstance(before, Mapping):
        for key, part in now.items():
            if key in before:
                yield from changed_places(part, before[key], (*path, key))
            else:
                yield (*path, key)
    elif isinstance(now, list) and isinstance(before, list):
        for place, item in enumerate(now):
            if item not in before:
                yield from changed_places(item, _counterpart(item, before), (*path, place))
    else:
        yield path


def _counterpart(item: object, others: Sequence[object]) -> object:
    """Return the object in `others` that has the identifier of `item`, None without one."""
    if not isinstance(item, Mapping):
        return None
    key = next((key for key in _IDENTIFIERS if item.get(key) is not None), None)
    objects = (other for other in others if isinstance(other, Mapping))
    return next((other for other in objects if key and other.get(key) == item[key]), None)
