"""Texts and collections of the length that a condition requires."""

from __future__ import annotations

from typing import Any

LONGEST_FILLED = 300
"""Longest text that is filled to a required length."""


LENGTH = "length"
"""Relation between the length of a collection and the length that it should have."""


def wishes_of_length(value: Any, now: Any, relation: str, size: Any) -> list[tuple[str, Any, Any]]:
    """Return a wish for the nearest length for which the condition is true.

    A text is cut or filled to it. For anything else, `now` is its length: what was sent is changed.
    """
    if type(size) is not int or type(now) is not int:
        return []
    length = size + (relation in (">", "!=")) - (relation == "<")
    if not 0 <= length <= LONGEST_FILLED or length == now:
        return []
    if type(value) is not str:
        return [(LENGTH, now, length)]
    return [("==", value, of_length(value, length))]


def of_length(text: str, length: int) -> str:
    """Return a text cut, or filled with its last character."""
    filler = text[-1:] or "a"
    return text[:length] + filler * (length - len(text))


def items_of_length(items: list[Any], length: int) -> list[Any]:
    """Return a list cut, or filled with its last item."""
    filler = items[-1:] or ["a"]
    return items[:length] + filler * (length - len(items))
