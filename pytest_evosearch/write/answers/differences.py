"""Finds the parts of a JSON response that the call under test has changed.

A restocked item, for example, is rarely the first one of its list.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty

JsonPath: TypeAlias = "tuple[str | int, ...]"

_IDENTIFIERS = ("_id", *IDENTIFIER.words(Certainty.POSSIBLE))


def changed_places(now: object, before: object, path: JsonPath = ()) -> Iterator[JsonPath]:
    """Yield the places in `now` that differ from `before`, in their order.

    An object's keys are compared one by one, and items of lists by their identifiers. For a new
    object or list, only its own place is yielded.
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
        yield from _changed_items(now, before, path)
    else:
        yield path


def _changed_items(
    now: Sequence[object], before: Sequence[object], path: JsonPath
) -> Iterator[JsonPath]:
    """Yield the differences in a list; each of thousands of items is compared with one other."""
    known = {_identity(other): other for other in reversed(before)}
    for place, item in enumerate(now):
        identity = _identity(item)
        if place < len(before) and item == before[place]:
            continue
        if identity is not None and identity in known:
            yield from changed_places(item, known[identity], (*path, place))
        elif item not in before:
            yield (*path, place)


def _identity(item: object) -> tuple[str, object] | None:
    """Return the key and value that identify an object in its list, None without any."""
    if not isinstance(item, Mapping):
        return None
    key = next((key for key in _IDENTIFIERS if isinstance(item.get(key), (str, int))), None)
    return None if key is None else (key, item[key])
