"""The edit distance from a text to the nearest text that a regular expression matches.

The pattern becomes a small automaton; rows of costs are carried through the text, one row a
character (Myers and Miller, "Approximate matching of regular expressions", 1989). A changed
character costs less when it is nearer to a fitting one; a missing or surplus one costs 1. The work
is bounded: the result is None for a pattern or text that is too large, or that needs more than an
automaton (look-around, back references).
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable
from functools import cache
from functools import lru_cache
from typing import Any
from typing import NamedTuple

LARGEST_AUTOMATON = 150
"""Most states of an automaton."""

LARGEST_WORK = 6_000
"""Most states times characters: about two milliseconds."""

LAST_CHARACTER = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]
"""Inclusive ranges of character codes."""

ALWAYS, AT_START, AT_END = range(3)
"""Conditions for an edge that consumes no character."""


class UnsupportedPatternError(Exception):
    """Says that a pattern is no plain automaton, or is too large."""


class Automaton(NamedTuple):
    """States in the order of the pattern; the first is the start, the last is the end."""

    jumps: list[list[tuple[int, int]]]
    """For each state: (next state, condition)."""
    steps: list[list[tuple[int, Ranges]]]
    """For each state: (next state, characters of the edge)."""


def regex_modules() -> tuple[Any, Any]:
    """Return the standard library's parser and compiler of patterns."""
    names = ("re._parser", "re._compiler")
    if sys.version_info < (3, 11):
        names = ("sre_parse", "sre_compile")
    parser, compiler = (importlib.import_module(name) for name in names)
    return parser, compiler


@lru_cache(maxsize=20_000)
def pattern_distance(method: str, source: str, flags: int, text: str) -> float | None:
    """Return the cost of making `text` match by ``match``, ``fullmatch`` or ``search``.

    The cost is 0 for a text that the automaton accepts, and None beyond the bounds.
    """
    automaton = _automaton(source, flags)
    if automaton is None or len(automaton.jumps) * (len(text) + 1) > LARGEST_WORK:
        return None
    ignoring_case = bool(flags & re.IGNORECASE)
    starts_anywhere, ends_anywhere = method == "search", method != "fullmatch"
    size, end = len(automaton.jumps), len(automaton.jumps) - 1
    row = [float("inf")] * size
    row[0] = 0.0
    best = float("inf")
    for position, character in enumerate([*text, None]):
        _settle(automaton, row, position == 0, character is None)
        if ends_anywhere or character is None:
            best = min(best, row[end])
        if character is not None:
            row = _advanced(automaton, row, _variants(character, ignoring_case))
            if starts_anywhere:
                row[0] = 0.0
    return best if best != float("inf") else None


def _settle(automaton: Automaton, row: list[float], at_start: bool, at_end: bool) -> None:
    """Follow edges that consume no character, and edges whose character is missing."""
    allowed = (True, at_start, at_end)
    changed = True
    while changed:
        changed = False
        for state, cost in enumerate(row):
            for target, when in automaton.jumps[state]:
                if allowed[when] and row[target] > cost:
                    row[target] = cost
                    changed = changed or target < state
            for target, _ in automaton.steps[state]:
                if row[target] > cost + 1.0:
                    row[target] = cost + 1.0
                    changed = changed or target < state


def _advanced(automaton: Automaton, row: list[float], codes: tuple[int, ...]) -> list[float]:
    """Consume one character: by the best edge, or as a surplus one."""
    following = [cost + 1.0 for cost in row]
    for state, cost in enumerate(row):
        for target, ranges in automaton.steps[state]:
            changed = cost + _misfit(codes, ranges)
            if following[target] > changed:
                following[target] = changed
    return following


def _variants(character: str, ignoring_case: bool) -> tuple[int, ...]:
    if not ignoring_case:
        return (ord(character),)
    forms = (character.lower(), character.upper())
    return tuple(ord(form) for form in forms if len(form) == 1) or (ord(character),)


@lru_cache(maxsize=20_000)
def _misfit(codes: tuple[int, ...], ranges: Ranges) -> float:
    gap = min(max(low - code, code - high, 0) for low, high in ranges for code in codes)
    return gap / (gap + 1.0)


@lru_cache(maxsize=512)
def _automaton(source: str, flags: int) -> Automaton | None:
    parser, _ = regex_modules()
    builder = _Builder()
    try:
        builder.sequence(parser.parse(source, flags & ~re.DEBUG), bool(flags & re.DOTALL))
    except Exception:  # a coarser measure exists for every other pattern
        return None
    return Automaton(builder.jumps, builder.steps)


class _Builder:
    """Appends states; the next item of the pattern begins at the newest one."""

    def __init__(self) -> None:
        self.jumps: list[list[tuple[int, int]]] = [[]]
        self.steps: list[list[tuple[int, Ranges]]] = [[]]
        self.dot_takes_all = False

    @property
    def here(self) -> int:
        return len(self.jumps) - 1

    def state(self) -> int:
        if len(self.jumps) >= LARGEST_AUTOMATON:
            raise UnsupportedPatternError
        self.jumps.append([])
        self.steps.append([])
        return self.here

    def sequence(self, items: Iterable[tuple[Any, Any]], dot_takes_all: bool) -> None:
        self.dot_takes_all = dot_takes_all
        for operation, argument in items:
            self._item(str(operation), argument)

    def _item(self, name: str, argument: Any) -> None:
        if name == "AT":
            self._anchor(str(argument))
        elif name == "SUBPATTERN":
            self.sequence(argument[-1], self.dot_takes_all)
        elif name == "ATOMIC_GROUP":
            self.sequence(argument, self.dot_takes_all)
        elif name == "BRANCH":
            self._branch(argument[1])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            self._repeat(*argument)
        else:
            ranges = self._ranges(name, argument)
            before = self.here
            self.steps[before].append((self.state(), ranges))

    def _anchor(self, name: str) -> None:
        when = ALWAYS
        if name in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            when = AT_START
        elif name in ("AT_END", "AT_END_STRING"):
            when = AT_END
        before = self.here
        self.jumps[before].append((self.state(), when))

    def _branch(self, alternatives: Iterable[Iterable[tuple[Any, Any]]]) -> None:
        fork, ends = self.here, []
        for alternative in alternatives:
            self.jumps[fork].append((self.state(), ALWAYS))
            self.sequence(alternative, self.dot_takes_all)
            ends.append(self.here)
        joined = self.state()
        for end in ends:
            self.jumps[end].append((joined, ALWAYS))

    def _repeat(self, least: int, most: Any, items: Any) -> None:
        for _ in range(least):
            self.sequence(items, self.dot_takes_all)
        if str(most) == "MAXREPEAT":
            self._loop(items)
            return
        exits = []
        for _ in range(int(most) - least):
            exits.append(self.here)
            self.sequence(items, self.dot_takes_all)
        joined = self.state()
        for place in [*exits, joined - 1]:
            self.jumps[place].append((joined, ALWAYS))

    def _loop(self, items: Any) -> None:
        entry = self.here
        first = self.state()
        self.jumps[entry].append((first, ALWAYS))
        self.sequence(items, self.dot_takes_all)
        last = self.here
        if last != first:
            self.jumps[last].append((first, ALWAYS))
        after = self.state()
        self.jumps[first].append((after, ALWAYS))

    def _ranges(self, name: str, argument: Any) -> Ranges:
        if name == "LITERAL":
            return ((argument, argument),)
        if name == "NOT_LITERAL":
            return _complement([(argument, argument)])
        if name == "ANY":
            return ((0, LAST_CHARACTER),) if self.dot_takes_all else _complement([(10, 10)])
        if name == "RANGE":
            return (tuple(argument),)
        if name == "CATEGORY":
            return _category(str(argument))
        if name == "IN":
            return self._class(argument)
        raise UnsupportedPatternError(name)

    def _class(self, members: list[tuple[Any, Any]]) -> Ranges:
        negated = bool(members) and str(members[0][0]) == "NEGATE"
        ranges = [
            each
            for operation, argument in members[negated:]
            for each in self._ranges(str(operation), argument)
        ]
        return _complement(ranges) if negated else tuple(ranges)


@cache
def _category(name: str) -> Ranges:
    """Return the characters of ``CATEGORY_DIGIT`` or ``CATEGORY_NOT_SPACE``.

    Only ASCII is considered: a letter beyond it is only a few steps away.
    """
    pattern = re.compile(f"\\{name.rpartition('_')[2][0].lower()}", re.ASCII)
    codes = [code for code in range(128) if pattern.match(chr(code))]
    starts = [code for code in codes if code - 1 not in codes]
    ends = [code for code in codes if code + 1 not in codes]
    ranges = list(zip(starts, ends, strict=True))
    return _complement(ranges) if "_NOT_" in name else tuple(ranges)


def _complement(ranges: list[tuple[int, int]]) -> Ranges:
    found, following = [], 0
    for low, high in sorted(ranges):
        if low > following:
            found.append((following, low - 1))
        following = max(following, high + 1)
    if following <= LAST_CHARACTER:
        found.append((following, LAST_CHARACTER))
    return tuple(found)
