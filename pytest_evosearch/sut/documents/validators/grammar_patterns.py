"""Builds regular expressions of grammars, for the readers of libraries that parse texts.

A grammar may contain itself, and a regular expression cannot: it is unfolded so many levels deep,
and alternatives that go deeper are left out.  What remains matches some of the grammar's texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress

from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Schema

DEEPEST_LEVELS = (8, 5, 3)
"""Levels of a grammar that contain each other, tried until the pattern is small enough."""

LARGEST_PATTERN = 3000
"""Most characters of a pattern."""

_MARK = r"(?:[^\w\s\\()\[\]{}?*+|.^$]|\\[^\w\s])"
_ENDS_WITH_A_MARK = re.compile(rf"(?s:.*){_MARK}")
_BEGINS_WITH_A_MARK = re.compile(_MARK)


class TooDeepError(Exception):
    """A part of a grammar that goes deeper than wanted, or cannot be read."""


def parsed_part(text: object, build: Callable[[int], str]) -> list[Part]:
    """Return the text that a call parses with its pattern, nothing for what is no text.

    `build` takes the levels that are left.
    """

    def read() -> Schema:
        pattern = _pattern_of(build)
        return {"type": "string"} if pattern is None else {"type": "string", "pattern": pattern}

    return [Part(text, read)] if isinstance(text, str) else []


def _pattern_of(build: Callable[[int], str]) -> str | None:
    """Return the first pattern that is small enough."""
    for levels in DEEPEST_LEVELS:
        try:
            pattern = build(levels)
        except TooDeepError:
            continue
        if len(pattern) <= LARGEST_PATTERN:
            return pattern
    return None


def alternatives(parts: Sequence[Callable[[], str]]) -> str:
    """Join alternatives; those that are too deep are left out.

    Raises:
        TooDeepError: if none is left.

    """
    found = dict.fromkeys(filter(None, map(_unless_too_deep, parts)))
    if not found:
        raise TooDeepError
    return _checked(next(iter(found)) if len(found) == 1 else f"(?:{'|'.join(found)})")


def _unless_too_deep(part: Callable[[], str]) -> str | None:
    with suppress(TooDeepError):
        return part()
    return None


def in_a_row(parts: Sequence[str], *, spaced: bool) -> str:
    """Join parts; with `spaced`, a space stands between words but not beside punctuation."""
    text = ""
    for part in filter(None, parts):
        beside = _ENDS_WITH_A_MARK.fullmatch(text) or _BEGINS_WITH_A_MARK.match(part)
        text += (" " if spaced and text and not beside else "") + part
    return _checked(text)


def repeated(part: str, *, least: int, spaced: bool) -> str:
    """Return a pattern for a part that stands there `least` (0 or 1) to three times."""
    if not part:
        return ""
    between = " " if spaced else ""
    once = f"{part}(?:{between}{part}){{0,2}}"
    return _checked(once if least else f"(?:{once})?")


def _checked(pattern: str) -> str:
    if len(pattern) > LARGEST_PATTERN:
        raise TooDeepError
    return pattern
