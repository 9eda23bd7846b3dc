"""Values as short text for people, without running code of the application.

Only values of built-in types are opened.  Every other value is shown by the name of its type,
because its `repr` or iteration may do anything.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from itertools import islice
from typing import Any

LONGEST_VALUE = 60
"""Characters of a value that are shown, at most."""

LONGEST_COLLECTION = 200
"""Characters of a collection that are shown, at most."""

MOST_MEMBERS = 4
"""Members of a collection that are shown, at most."""

DEEPEST = 3
"""Levels of nested collections that are shown, at most."""

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
    """Return `value` as text of limited length, without running code of the application."""
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
    except ValueError:  # more digits than Python converts to text
        return f"<int of {int.bit_length(value)} bits>"


def _collection_form(kind: type) -> type | None:
    """Return the built-in type that `kind` is, or extends without its own data; else None."""
    return next((base for base in _mro_of_class(kind) if base in _COLLECTIONS), None)


def _members(value: Any, form: Any, depth: int) -> list[str]:
    first = islice(dict.items(value) if form is dict else form.__iter__(value), MOST_MEMBERS)
    if form is dict:
        texts = [f"{_shown(key, depth)}: {_shown(inner, depth)}" for key, inner in first]
    else:
        texts = [_shown(member, depth) for member in first]
    return [*texts, "..."] if form.__len__(value) > MOST_MEMBERS else texts


def shortened(text: str, longest: int = LONGEST_VALUE) -> str:
    """Return `text`, or its beginning with an ellipsis, in at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
