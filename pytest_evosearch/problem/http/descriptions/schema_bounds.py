"""Limits in JSON schemas, read from every dialect, and the conjunction of two schemas."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TypeAlias

Schema: TypeAlias = Mapping[str, object]

LONGEST_TEXT = 100_000
"""Longest text in characters; no realistic schema requires longer ones."""

LONGEST_LIST = 1_000
"""Longest list in elements: each element is a value in every request and its record."""

_LONGEST = {"minItems": LONGEST_LIST, "maxItems": LONGEST_LIST}


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def count(schema: Schema, word: str) -> int | None:
    """Return a length such as ``minLength``, None when it is absent or invalid."""
    value = _finite(schema.get(word))
    return None if value is None or value < 0 else min(int(value), _LONGEST.get(word, LONGEST_TEXT))


def lower_bound(schema: Schema, integral: bool = False) -> float | None:
    """Return the smallest value allowed, from ``minimum`` and both forms of ``exclusiveMinimum``.

    An exclusive bound becomes the next integer or the next float above.
    """
    minimum, exclusive = _finite(schema.get("minimum")), schema.get("exclusiveMinimum")
    if integral and minimum is not None:
        minimum = math.ceil(minimum)
    beyond = minimum if exclusive is True else _finite(exclusive)
    if beyond is None:
        return minimum
    above = math.floor(beyond) + 1 if integral else math.nextafter(beyond, math.inf)
    return above if minimum is None else max(minimum, above)


def upper_bound(schema: Schema, integral: bool = False) -> float | None:
    """Return the largest value allowed; see `lower_bound`."""
    maximum, exclusive = _finite(schema.get("maximum")), schema.get("exclusiveMaximum")
    if integral and maximum is not None:
        maximum = math.floor(maximum)
    beyond = maximum if exclusive is True else _finite(exclusive)
    if beyond is None:
        return maximum
    below = math.ceil(beyond) - 1 if integral else math.nextafter(beyond, -math.inf)
    return below if maximum is None else min(maximum, below)


def multiple_of(schema: Schema) -> float | None:
    """Return ``multipleOf`` when it is a positive number."""
    value = _finite(schema.get("multipleOf"))
    return value if value is not None and value > 0 else None


_LIMIT = re.compile("(max|min)(imum|Length|Items)")


def united(first: Schema, second: Schema) -> Schema:
    """Return a schema that both schemas satisfy, as ``allOf`` requires.

    It has the properties and required names of both, the narrower of two limits, and the common
    options. For any other keyword that both have, `second` wins.
    """
    both: dict[str, object] = {**first, **second}
    for word in first:
        if word in second:
            both[word] = _united_word(word, first[word], second[word])
    return both


def _united_word(word: str, first: object, second: object) -> object:
    if word == "properties" and isinstance(first, Mapping) and isinstance(second, Mapping):
        return {**first, **second, **_common_properties(first, second)}
    if isinstance(first, list) and isinstance(second, list):
        if word == "required":
            return [*first, *(name for name in second if name not in first)]
        if word == "enum":
            return [option for option in first if option in second] or second
    one, other = _finite(first), _finite(second)
    limit = _LIMIT.fullmatch(word)
    if one is None or other is None or limit is None:
        return second
    return min(one, other) if limit[1] == "max" else max(one, other)


def _common_properties(first: Schema, second: Schema) -> Schema:
    common: dict[str, object] = {}
    for name in first:
        one, other = first[name], second.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            common[name] = united(one, other)
    return common
