"""Values as short text for people, without running code of the application.

Only exact built-in types are looked into; anything else is shown by the name of its type, since
a `repr` or an iteration could do whatever the application wants.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from itertools import islice
from typing import Any

LONGEST_VALUE = 60
"""Characters of a value that are shown; enough to see what is wrong with it."""

LONGEST_COLLECTION = 200
"""Characters of a collection that are shown."""

MOST_MEMBERS = 4
"""Members of a collection that are shown."""

DEEPEST = 3
"""Levels of collections that are shown."""

_SCALARS = frozenset(
    (
        str,
        int,
        float,
        bytes,
        bool,
        complex,
        type(None),
        range,
        decimal.Decimal,
        uuid.UUID,
        datetime.date,
        datetime.datetime,
        datetime.time,
        datetime.timedelta,
    )
)
_COLLECTIONS = (tuple, list, set, frozenset, dict)
_name_of_class = vars(type)["__name__"].__get__
_mro_of_class = vars(type)["__mro__"].__get__


def shown(value: Any) -> str:
    """Return `value` as text of bounded length, without running code of the application."""
    return _shown(value, DEEPEST)


def _shown(value: Any, depth: int) -> str:
    kind = type(value)
    if kind in _SCALARS:
        return shortened(_repr(value))
    if type in _mro_of_class(kind):
        return str(_name_of_class(value))
    form = _collection_form(kind)
    if form is None or not depth:
        return f"<{_name_of_class(kind)}>"
    opening, closing = "()" if form is tuple else "[]" if form is list else "{}"
    members = _members(value, form, depth - 1)
    return shortened(f"{opening}{', '.join(members)}{closing}", LONGEST_COLLECTION)


def _repr(value: Any) -> str:
    if type(value) in (str, bytes):
        return repr(value[: LONGEST_VALUE + 1])
    try:
        return repr(value)
    except ValueError:  # more digits than Python is willing to write
        return f"<int of {int.bit_length(value)} bits>"


def _collection_form(kind: type) -> type | None:
    """Return the built-in collection that `kind` is, or extends with nothing but methods."""
    return next((base for base in _mro_of_class(kind) if base in _COLLECTIONS), None)


def _members(value: Any, form: Any, depth: int) -> list[str]:
    first = islice(dict.items(value) if form is dict else form.__iter__(value), MOST_MEMBERS)
    if form is dict:
        texts = [f"{_shown(key, depth)}: {_shown(inner, depth)}" for key, inner in first]
    else:
        texts = [_shown(member, depth) for member in first]
    return [*texts, "..."] if form.__len__(value) > MOST_MEMBERS else texts


def shortened(text: str, longest: int = LONGEST_VALUE) -> str:
    """Return `text`, or its beginning and an ellipsis: `longest` characters at most."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
