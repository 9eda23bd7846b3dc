"""SQL statements in the form of drivers: a text with placeholders, and their values."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass

LONGEST_STATEMENT = 20_000
"""Most characters of a statement that is examined."""

PLACEHOLDER = "evo_p"
"""Prefix that replaces the n-th placeholder, before n, in the parsed text."""

_VERBS = re.compile(r"[\s(]*(SELECT|WITH|UPDATE|DELETE|INSERT|REPLACE)\b", re.IGNORECASE)

_QUOTED = r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\[\w+\]|--[^\n]*|/\*.*?\*/"
_QUESTION_MARKS = re.compile(rf"{_QUOTED}|(\?\d*|[:@$](?!:)\w+)|::", re.DOTALL)
_FORMATS = re.compile(rf"{_QUOTED}|(%\(\w+\)[sbt]|%[sbt])|%%", re.DOTALL)

_VALUES = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|%\(\w+\)[sbt]|%[sbt]|(?<![:\w]):\w+|\?\d*|\$\d+|"
    r"(?<![\w.])\d+(?:\.\d+)?(?!\w)",
    re.DOTALL,
)
_LISTS = re.compile(r"\?(?:\s*,\s*\?)+")
_SPACES = re.compile(r"\s+")

_TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(?:ONLY\s+)?([\w.\"`\[\]]+)", re.IGNORECASE)

MOST_TABLES = 4
"""Most tables in the name of a statement."""


@dataclass(frozen=True)
class Statement:
    """A statement without its values, parsed once for all executions."""

    text: str
    """The text with ``evo_p0``, ``evo_p1`` as placeholders."""
    keys: tuple[int | str, ...]
    """For each placeholder, the position or the name of its value."""
    verb: str
    """``select``, ``update``, ``delete`` or ``insert``."""
    name: str
    """Verb, table and a digest of the text; identifies it among statements at its place."""

    def values(self, parameters: Any) -> tuple[Any, ...]:
        """Return the values of the placeholders in order."""
        return tuple(parameters[key] for key in self.keys)


def is_watched(text: str) -> bool:
    """Say whether a statement is examined: it names a table."""
    if len(text) > LONGEST_STATEMENT or _VERBS.match(text) is None:
        return False
    return _TABLE.search(text) is not None


def read_statement(text: str, parameters: Any, formats: bool) -> Statement:
    """Parse a statement; with `formats`, its placeholders are those of ``%``."""
    keys: list[int | str] = []
    pattern = _FORMATS if formats else _QUESTION_MARKS
    with_values = isinstance(parameters, (Mapping, Sequence)) and bool(parameters)

    def replaced(match: re.Match[str]) -> str:
        found = match[1]
        if found is None:
            return _percent(match[0]) if formats else match[0]
        keys.append(_key_of(found, len(keys)))
        return f"{PLACEHOLDER}{len(keys) - 1}"

    plain = pattern.sub(replaced, text) if with_values else text
    return Statement(plain, tuple(keys), verb_of(text), _name_of(text))


def _percent(found: str) -> str:
    return found.replace("%%", "%")


def _key_of(placeholder: str, position: int) -> int | str:
    """Return the key of a placeholder's value: its name, or its position in the text."""
    if placeholder.startswith("%("):
        return placeholder[2 : placeholder.index(")")]
    word = placeholder[1:]
    if placeholder[0] in ":@$" and not word.isdigit():
        return word
    if placeholder[0] in "?:$" and word.isdigit():
        return int(word) - 1
    return position


def verb_of(text: str) -> str:
    """Return the verb of a statement; for ``WITH``, the verb behind it."""
    match = _VERBS.match(text)
    verb = match[1].lower() if match is not None else ""
    if verb == "with":
        found = re.search(r"\)\s*(SELECT|UPDATE|DELETE|INSERT)\b", text, re.IGNORECASE)
        return found[1].lower() if found is not None else "select"
    return "insert" if verb == "replace" else verb


def _name_of(text: str) -> str:
    """Name a statement; other values, or longer lists of them, do not change the name."""
    plain = _VALUES.sub(lambda match: " " if match[0][:2] in ("--", "/*") else "?", text)
    plain = _SPACES.sub(" ", _LISTS.sub("?", plain)).strip().lower()
    tables = dict.fromkeys(re.sub(r"[\"`\[\]]", "", one) for one in _TABLE.findall(plain))
    word = "+".join(list(tables)[:MOST_TABLES])
    return f"{verb_of(text)} {word} {zlib.crc32(plain.encode()) & 0xFFFF:04x}"
