"""What differs by chance in a text: the one place that tells it from what was said.

    seen    `in_common`: one request gave several texts, so what differs between them is chance
    known   `without_chance`: the forms of ids, addresses and names of temporary files
    loose   `shape`: numbers and long words count as chance, too, to compare whole answers

What is seen is better evidence than what is known, and counts where a request was repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

GAP = "..."
"""Stands for what differs by chance."""

LONGEST = 2000
"""Most characters of texts that are compared word by word."""

_KNOWN = re.compile(
    r"""0x[0-9a-fA-F]{4,}
    | (?<![0-9a-fA-F])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}
    | (?<![0-9a-zA-Z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}(?![0-9a-zA-Z])
    | (?<=/tmp)[a-z0-9_]{8}(?![a-z0-9_])
    """,
    re.VERBOSE,
)
"""Addresses of objects, UUIDs, long hexadecimal numbers, and what `tempfile` draws."""

_LOOSE = re.compile(r"\w*\d\w*|[^\s\"<>]{20,}")

_GAPS = re.compile(r"\.\.\.(?:\W?\.\.\.)+")
_WORDS = re.compile(r"\.\.\.|[^\W_]+|_|\W")


def without_chance(text: str) -> str:
    """Return a text with gaps in the place of what has a form of chance."""
    return _GAPS.sub(GAP, _KNOWN.sub(GAP, text))


def shape(text: str) -> str:
    """Return what two texts share that differ in numbers and in words drawn by chance."""
    return _LOOSE.sub("0", text)


def in_common(texts: Iterable[str]) -> str:
    """Return the first of several texts for one thing, with gaps where the others differ."""
    first, *others = dict.fromkeys(texts)
    if not others:
        return first
    common = without_chance(first)
    for other in dict.fromkeys(map(without_chance, others)):
        common = _shared(common, other)
    return common


def _shared(one: str, other: str) -> str:
    if one == other or max(len(one), len(other)) > LONGEST:
        return one
    words, theirs = _WORDS.findall(one), _WORDS.findall(other)
    found: list[str] = []
    matcher = SequenceMatcher(None, words, theirs, autojunk=False)
    for kind, start, end, _begin, _stop in matcher.get_opcodes():
        found += words[start:end] if kind == "equal" else [GAP]
    return _GAPS.sub(GAP, "".join(found))
