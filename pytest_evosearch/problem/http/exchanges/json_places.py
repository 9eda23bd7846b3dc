"""Walks JSON values of any shape."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.problem.http.exchanges.exchange import ValuePath


def walk_json(value: object, place: ValuePath = ()) -> Iterator[tuple[ValuePath, object]]:
    """Yield every value with its place, parents before children."""
    yield place, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from walk_json(part, (*place, str(key)))
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from walk_json(part, (*place, index))


def scalars_in(value: object) -> Iterator[object]:
    """Yield the values that hold no others, in order."""
    inner = (part for _place, part in walk_json(value))
    return (part for part in inner if not isinstance(part, (dict, list, tuple)))


def json_name(value_path: tuple[str | int, ...]) -> str:
    """Name a place in a JSON body: ``author/tags/0``."""
    return "/".join(map(str, value_path))


def innermost_name(value_path: tuple[str | int, ...]) -> str:
    """Return the last key of a place in a body, ignoring indexes."""
    for key in reversed(value_path):
        if isinstance(key, str):
            return key
    return ""
