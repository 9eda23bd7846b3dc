"""Sees the values that SQL statements look for: ``WHERE value = 'acorn'`` weighs a sent value."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_evosearch.instrument.probing.weighing import Scales

_EQUALITY = re.compile(r"""(\w+)["'`\]]?\s*(?:=|\bIS\b)\s*'((?:[^']|'')*)'""", re.IGNORECASE)
"""A column, maybe quoted, and the text that it is compared with."""

_READING = ("SELECT", "WITH")

MOST_CHARACTERS = 20_000
"""Most characters of a statement that is read."""


def statement_check(scales: Scales) -> Callable[[str], None]:
    """Return a function that reports the values that a statement looks for to `scales`."""

    def weigh(statement: str) -> None:
        if not scales.in_use or len(statement) > MOST_CHARACTERS:
            return
        if statement.lstrip("( \n\t")[:6].upper().startswith(_READING):
            for column, text in _EQUALITY.findall(statement):
                scales.weigh_with_column(text.replace("''", "'"), column, statement)

    return weigh
