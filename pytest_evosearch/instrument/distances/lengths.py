"""Texts of the length that a condition requires."""

from __future__ import annotations

from typing import Any

LONGEST_FILLED = 300
"""Longest text that is filled to a required length."""


def texts_of_length(value: Any, relation: str, size: Any) -> list[tuple[str, Any, Any]]:
    """Return the value, cut or filled to the nearest length for which the condition is true."""
    if type(value) is not str or type(size) is not int:
        return []
    length = size + (relation in (">", "!=")) - (relation == "<")
    if not 0 <= length <= LONGEST_FILLED or length == len(value):
        return []
    return [("==", value, of_length(value, length))]


def of_length(text: str, length: int) -> str:
    """Return a text cut, or filled with its last character."""
    filler = text[-1:] or "a"
    return text[:length] + filler * (length - len(text))
