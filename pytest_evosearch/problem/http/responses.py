"""Values inside responses: reading one by its selector, and listing those worth linking to."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.problem.http.exchange import Selector
from pytest_evosearch.problem.http.forms import parse_forms
from pytest_evosearch.problem.http.mails import mailed_value

LARGEST_BODY = 65_536
"""Bytes of JSON that are worth parsing for values."""

MOST_VALUES = 30
"""Values listed of one response."""

_LONGEST_TEXT = 500
_DEEPEST = 3


class Missing:
    """The outcome of a selector that finds nothing; there is one instance, `MISSING`."""

    __slots__ = ()


MISSING = Missing()


def select(exchange: Exchange, selector: Selector) -> object:
    """Return the value of the response at `selector`, or `MISSING`."""
    response = exchange.response
    if response is None or not selector:
        return MISSING
    kind, *rest = selector
    if kind == "mail":
        value = mailed_value(exchange.mails, str(rest[0]), str(rest[-1])) if rest else None
        return MISSING if value is None else value
    if kind == "json":
        return _select_json(response, rest)
    if kind == "location":
        segments = location_segments(response)
        index = rest[0] if rest else -1
        inside = isinstance(index, int) and -len(segments) <= index < len(segments)
        return segments[index] if inside and isinstance(index, int) else MISSING
    if kind == "header":
        value = response.header(str(rest[0])) if rest else None
        return MISSING if value is None else value
    if kind == "form" and rest:
        return _select_field(response, str(rest[0]))
    return MISSING


def _select_json(response: Response, path: list[str | int]) -> object:
    if not response.is_json:
        return MISSING
    try:
        value = response.json()
    except ValueError:
        return MISSING
    return inside(value, path)


def inside(value: object, path: Sequence[str | int]) -> object:
    """Return what stands at `path` in nested objects and arrays, or `MISSING`."""
    try:
        for key in path:
            value = value[key]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return MISSING
    return value


def location_path(response: Response) -> str:
    """Return the path of the Location header, empty where there is none."""
    try:
        return urlsplit(response.location or "").path
    except ValueError:
        return ""


def location_segments(response: Response) -> list[str]:
    """Return the decoded path segments of the Location header, empty ones left out."""
    return [unquote(segment) for segment in location_path(response).split("/") if segment]


def _select_field(response: Response, name: str) -> object:
    if response.mimetype != "text/html":
        return MISSING
    for form in parse_forms(response.text):
        if name in form.fields:
            return form.fields[name].value
    return MISSING


def linkable_values(response: Response) -> list[tuple[Selector, object]]:
    """List scalars of the response's JSON that a later call may want."""
    found: list[tuple[Selector, object]] = []
    if response.is_json and 0 < len(response.body) <= LARGEST_BODY:
        try:
            document = response.json()
        except ValueError:
            document = None
        for leaf in _leaves(document, ("json",), 0):
            found.append(leaf)
            if len(found) >= MOST_VALUES:
                break
    return found


def _leaves(value: object, path: Selector, depth: int) -> Iterator[tuple[Selector, object]]:
    if isinstance(value, dict):
        if depth < _DEEPEST:
            for key, child in value.items():
                yield from _leaves(child, (*path, key), depth + 1)
    elif isinstance(value, list):
        if value and depth < _DEEPEST:
            yield from _leaves(value[0], (*path, 0), depth + 1)
            if len(value) > 1 and not isinstance(value[0], (dict, list)):
                yield from _leaves(value[-1], (*path, -1), depth + 1)
    elif isinstance(value, str):
        if 0 < len(value) <= _LONGEST_TEXT:
            yield path, value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value
