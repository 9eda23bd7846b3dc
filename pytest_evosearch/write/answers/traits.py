"""Describes an unusual value by one adjective: ``empty``, ``huge``, ``negative``."""

from __future__ import annotations

from pytest_evosearch.write.code.literals import LONG_RUN

LONG_TEXT = 40
"""Characters from which a value counts as long."""

HUGE_NUMBER = 2**31 - 1
"""Largest number that does not count as huge: the end of the 32-bit range."""


def is_run(text: str) -> bool:
    """Say whether a text repeats one character so often that only its length matters."""
    return len(text) >= LONG_RUN and len(set(text)) == 1


def value_trait(value: object, usual: object = None) -> str:
    """Return an adjective for an unusual value, or an empty string.

    Where a text is usual, an object or a list is called so, whatever is in it.
    """
    if isinstance(usual, str) and isinstance(value, (dict, list)):
        return "list" if isinstance(value, list) else "object"
    if isinstance(value, (str, bytes, list, dict)) and not value:
        return "empty"
    if value is None:
        return "null"
    if isinstance(value, str):
        number = _as_number(value)
        if value.isspace() and not is_run(value):
            return "blank"
        if number is None and (len(value) > LONG_TEXT or is_run(value)):
            return "long"
        value = value if number is None else number
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number_trait(value, usual)
    return ""


def _number_trait(value: float, usual: object) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return "special"
    if abs(value) > HUGE_NUMBER:
        return "huge"
    usual_number = _as_number(str(usual)) if usual is not None else None
    if value < 0 and (usual_number is None or usual_number >= 0):
        return "negative"
    if value == 0 and usual_number != 0:
        return "zero"
    return ""


def _as_number(text: str) -> float | None:
    if len(text) > 40:
        return None
    try:
        return float(text)
    except ValueError:
        return None
