"""Sees which values statements of SQL look for: ``WHERE value = 'acorn'`` weighs what was sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

_EQUALITY = re.compile(r"""(\w+)["'`\]]?\s*(?:=|\bIS\b)\s*'((?:[^']|'')*)'""", re.IGNORECASE)
"""A column, maybe quoted, and the text with which it is compared."""

_READING = ("SELECT", "WITH")

MOST_CHARACTERS = 20_000
"""Longer statements are not read."""


class ColumnScales(Protocol):
    """What is needed of `instrument.probing.weighing.Scales`."""

    @property
    def in_use(self) -> bool:
        """Whether what is compared is of interest now."""
        ...

    def weigh_with_column(self, observed: object, column: str) -> None:
        """Note a value and the column in which it was looked for."""
        ...


def statement_check(scales: ColumnScales) -> Callable[[str], None]:
    """Return what tells `scales` about the values that a statement looks for."""

    def weigh(statement: str) -> None:
        if not scales.in_use or len(statement) > MOST_CHARACTERS:
            return
        if statement.lstrip("( \n\t")[:6].upper().startswith(_READING):
            for column, text in _EQUALITY.findall(statement):
                scales.weigh_with_column(text.replace("''", "'"), column)

    return weigh
