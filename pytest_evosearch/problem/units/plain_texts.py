"""Plain texts that match the patterns with which code compares an argument.

A search finds ``"8782.217.380-T"`` for a pattern of versions.  A person who tests the code takes
``"1.2.3-alpha"``: few digits in order, and words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.characters import plain_digits
from pytest_evosearch.genes.characters import with_plain_digits
from pytest_evosearch.genes.patterns import compile_pattern
from pytest_evosearch.genes.regex import RegexGene

WORDS = ("alpha", "beta")

VERBOSE = "(?x)"
"""How a pattern begins in which spaces and comments mean nothing; it can be no part of another."""

SAMPLES = 40
"""Matches of a pattern that are made plain."""

MOST_TEXTS = 4
"""Most texts of one pattern: the shortest one, and longer ones with more parts."""

LONGEST = 40
"""Most characters of a plain text."""

_RUN = re.compile(r"\d+|[A-Za-z][A-Za-z0-9]*")
_NOISE = re.compile(r"[^\w\s.,:;@/+=<>()\[\]{}#%*!~^|&$?'\"-]|_+")
"""Characters that no person would take, where any are allowed."""

_LOOSE = re.compile(r"[.-](?=[.+-]|$)")
"""A dot or dash that joins nothing."""


def plain_texts(pattern: str) -> list[str]:
    """Return plain texts that match a pattern, the shortest first; nothing for no pattern."""
    compiled = compile_pattern(pattern)
    try:
        gene = RegexGene.compile(pattern)
    except ValueError:
        return []
    rng = Random(1)  # always the same: what a pattern gives must not depend on the run
    matches = [gene.value(), *(gene.sample(rng).value() for _ in range(SAMPLES))]
    plain: dict[str, None] = {}
    for text in matches:
        variants = _plainer(text, pattern)
        found = next((one for one in variants if compiled and compiled.search(one)), None)
        if found and len(found) <= LONGEST:
            plain.setdefault(found)
    shapes = {_RUN.sub("x", text): text for text in sorted(plain, key=len, reverse=True)}
    ordered = sorted(shapes.values(), key=lambda one: (len(one), one))
    step = max(1, -(-len(ordered) // MOST_TEXTS))
    return ordered[::step]


def _plainer(text: str, pattern: str) -> Iterator[str]:
    """Yield plain variants of a text, the plainest first."""
    quiet = _NOISE.sub("", text)
    for one in dict.fromkeys((_LOOSE.sub("", quiet), quiet, text)):
        for keeps_length in (False, True):
            yield _spelled(one, pattern, keeps_length)
        yield with_plain_digits(one)
    yield text


def _spelled(text: str, pattern: str, keeps_length: bool) -> str:
    """Return a text with small numbers and words; words of the pattern itself stay."""
    digits = words = 0

    def spelled(run: re.Match[str]) -> str:
        nonlocal digits, words
        length = len(run[0])
        if run[0].isdigit():
            digits += 1
            return plain_digits(length) if keeps_length else str(digits % 10)
        if length > 1 and run[0] in pattern:
            return run[0]
        words += 1
        word = WORDS[(words - 1) % len(WORDS)]
        return (word * length)[:length] if keeps_length else word

    return _RUN.sub(spelled, text)


_PATTERN = frozenset("\\[(*+?|^")
"""Characters that show that a text may be a pattern."""


def is_like_pattern(text: str) -> bool:
    """Say whether a text may be a pattern."""
    return not _PATTERN.isdisjoint(text)


def around_match(pattern: str, rng: Random) -> str | None:
    """Return a text in which a pattern is found; None for a text that is no pattern."""
    text = matching_text(pattern, "search", rng)
    before, after = (rng.choice(["", "a", "Ab ", "12"]) for _ in range(2))
    return text and f"{before}{text}{after}"


def matching_text(pattern: str, relation: str, rng: Random) -> str | None:
    """Return a text that a pattern matches; None for a pattern that makes none."""
    whole = pattern
    if relation != "search":
        is_verbose = pattern.startswith(VERBOSE)
        flag, inside = ("x", f"{pattern[len(VERBOSE) :]}\n") if is_verbose else ("", pattern)
        whole = f"^(?{flag}:{inside}){'$' if relation == 'fullmatch' else ''}"
    try:
        return RegexGene.compile(whole).sample(rng).value()
    except ValueError:
        return None
