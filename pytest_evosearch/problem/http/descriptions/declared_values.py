"""Reads values that a document's paths have where routes have placeholders.

A document may describe ``/collections/places/items`` for each existing collection, while the
application has one route, ``/collections/{collection_id}/items``. So ``places`` exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def values_in_paths(
    routed: Iterable[Endpoint], declared: Iterable[Endpoint]
) -> tuple[tuple[str, str], ...]:
    """Return names of placeholders, each with a value from a path of `declared`.

    A path with a route of its own, such as ``/users/me`` beside ``/users/{id}``, gives no value.
    """
    routes = dict.fromkeys(_parts(endpoint.template) for endpoint in routed)
    paths = dict.fromkeys(_parts(endpoint.template) for endpoint in declared)
    found: dict[tuple[str, str], None] = {}
    for path in paths:
        filled = [values for route in routes if (values := _filled(route, path)) is not None]
        if all(filled):
            found.update(dict.fromkeys(pair for values in filled for pair in values))
    return tuple(found)


def values_written(template: str, path: str) -> list[tuple[str, str]] | None:
    """Return what `path` writes for placeholders of `template`; None where it leads elsewhere."""
    return _filled(_parts(template), _parts(path))


def _parts(template: str) -> tuple[str, ...]:
    return tuple(template.strip("/").split("/"))


def _filled(route: Sequence[str], path: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the values that `path` has for placeholders of `route`; None without a match."""
    if len(route) != len(path):
        return None
    values = []
    for ours, theirs in zip(route, path, strict=True):
        placeholder = _PLACEHOLDER.fullmatch(ours)
        if placeholder is not None and "{" not in theirs:
            values.append((placeholder[1], theirs))
        elif placeholder is None and ours != theirs:
            return None
    return values
