"""How near a text is to passing a predicate, matching a pattern or being converted.

Pure functions with the same promises as `distance`: never raising, in (0, 1), and looking only
into exact `str` and `bytes`.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from datetime import date
from datetime import datetime
from datetime import time
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.scores import scaled
from pytest_evosearch.instrument import distance
from pytest_evosearch.instrument.distance import FLAG
from pytest_evosearch.instrument.distance import LENGTH_WEIGHT
from pytest_evosearch.instrument.distance import bounded

LONGEST_TEXT = 200
"""Longer texts are not matched against parts of a pattern or a template."""

LONGEST_PATTERN = 20
"""Items of a pattern that are tried one after the other."""

DIGITS = "0123456789"
HEXADECIMAL = "0123456789abcdefABCDEF"

CLASS_MEMBERS = {
    "isalnum": DIGITS + "AZaz",
    "isalpha": "AZaz",
    "isascii": "\x00\x7f",
    "isdecimal": DIGITS,
    "isdigit": DIGITS,
    "isidentifier": "AZ_az",
    "islower": "az",
    "isnumeric": DIGITS,
    "isprintable": " ~",
    "isspace": "\t\r ",
    "istitle": "AZaz",
    "isupper": "AZ",
}
"""Characters near which a failing character is measured, per predicate."""


def nearness(name: str, subject: Any, arguments: tuple[Any, ...], outcome: bool) -> float:
    """Score how near the predicate `name` of `subject` is to the other outcome."""
    if outcome:
        return distance.AWAY
    try:
        if name == "get":
            return bounded(distance.nearness("in", arguments[0], subject))
        if name in ("match", "fullmatch", "search"):
            return bounded(_pattern_nearness(name, subject, arguments))
        if type(subject) not in (str, bytes):
            return FLAG
        if arguments:
            return bounded(_affix_nearness(name, subject, arguments[0]))
        return bounded(_class_nearness(name, subject)) if type(subject) is str else FLAG
    except Exception:  # the application must not notice
        return FLAG


def _affix_nearness(name: str, text: str | bytes, affix: Any) -> float:
    if type(affix) is tuple:
        scores = [_affix_nearness(name, text, each) for each in affix[: distance.MEMBERS]]
        return max(scores, default=FLAG)
    if type(affix) is not type(text):
        return FLAG
    size = len(affix)
    part = text[:size] if name == "startswith" else text[max(len(text) - size, 0) :]
    return distance.nearness("==", part, affix)


def _class_nearness(name: str, text: str) -> float:
    if not text:
        return FLAG
    known = CLASS_MEMBERS[name]
    total = 0
    for character in text[:LONGEST_TEXT]:
        if not getattr(character, name)():
            total += 1 + min(abs(ord(character) - ord(member)) for member in known)
    # All characters pass and the whole does not ("1a".isidentifier()): one step away.
    return scaled(REACHED, max(total, 1))


def pattern_text(subject: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return (pattern's text, matched text) of ``re.match(p, s)`` or ``compiled.match(s)``."""
    if len(arguments) == 1:
        return (subject.pattern if type(subject) is re.Pattern else None), arguments[0]
    pattern = arguments[0]
    return (pattern.pattern if type(pattern) is re.Pattern else pattern), arguments[1]


def _pattern_nearness(name: str, subject: Any, arguments: tuple[Any, ...]) -> float:
    pattern = subject if type(subject) is re.Pattern else arguments[0]
    text = arguments[-1]
    flags = pattern.flags if type(pattern) is re.Pattern else 0
    source = pattern.pattern if type(pattern) is re.Pattern else pattern
    if type(source) is not str or type(text) is not str or len(text) > LONGEST_TEXT:
        return FLAG
    prefixes = _pattern_prefixes(source, flags)
    if not prefixes:
        return FLAG
    reached = 0
    for prefix in prefixes:
        found = prefix.search(text) if name == "search" else prefix.match(text)
        if found is None:
            break
        reached += 1
    # Of two texts that match as many items, the one with less behind them is nearer.
    surplus = len(text) / (len(text) + 1.0) if reached == len(prefixes) else 0.5
    return REACHED + (1.0 - REACHED) * (reached + 1 - surplus) / (len(prefixes) + 2)


@lru_cache(maxsize=512)
def _pattern_prefixes(source: str, flags: int) -> tuple[re.Pattern[str], ...]:
    """Compile the pattern's first item, its first two, and so on."""
    parser, compiler = _regex_modules()
    try:
        items = parser.parse(source, flags & ~re.DEBUG)
        count = min(len(items), LONGEST_PATTERN)
        return tuple(compiler.compile(items[:end], flags) for end in range(1, count + 1))
    except Exception:  # a pattern that cannot be cut gives a flag
        return ()


def _regex_modules() -> tuple[Any, Any]:
    names = ("re._parser", "re._compiler")
    if sys.version_info < (3, 11):
        names = ("sre_parse", "sre_compile")
    parser, compiler = (importlib.import_module(name) for name in names)
    return parser, compiler


# Conversions


def converts(name: str, text: str, detail: str) -> bool:
    """Say whether the conversion `name` accepts `text`."""
    try:
        _CONVERSIONS[name](text, detail)
    except Exception:  # any exception means "no"
        return False
    return True


_CONVERSIONS: dict[str, Callable[[str, str], object]] = {
    "int": lambda text, _: int(text),
    "float": lambda text, _: float(text),
    "Decimal": lambda text, _: Decimal(text),
    "UUID": lambda text, _: UUID(text),
    "json.loads": lambda text, _: json.loads(text),
    "date.fromisoformat": lambda text, _: date.fromisoformat(text),
    "datetime.fromisoformat": lambda text, _: datetime.fromisoformat(text),
    "time.fromisoformat": lambda text, _: time.fromisoformat(text),
    "datetime.strptime": lambda text, form: datetime.strptime(text, form),
}

_ALPHABETS = {"int": DIGITS + "-", "float": DIGITS + ".-", "Decimal": DIGITS + ".-"}

_TEMPLATES = {
    "UUID": "x" * 32,
    "date.fromisoformat": "dddd-dd-dd",
    "datetime.fromisoformat": "dddd-dd-ddTdd:dd:dd",
    "time.fromisoformat": "dd:dd:dd",
}
"""``d`` is any digit, ``x`` any hexadecimal digit, the rest stands for itself."""

_DIRECTIVES = {
    "%Y": "dddd",
    "%m": "dd",
    "%d": "dd",
    "%H": "dd",
    "%I": "dd",
    "%M": "dd",
    "%S": "dd",
    "%y": "dd",
    "%j": "ddd",
    "%f": "dddddd",
    "%%": "%",
}


def conversion_nearness(name: str, text: str, detail: str, converted: bool) -> float:
    """Score how near `text` is to the other outcome of the conversion `name`."""
    if converted:
        return distance.AWAY
    if not text:
        return FLAG
    try:
        return bounded(_conversion_nearness(name, text, detail))
    except Exception:
        return FLAG


def _conversion_nearness(name: str, text: str, detail: str) -> float:
    if name == "json.loads":
        return _json_nearness(text)
    text = text[:LONGEST_TEXT]
    if name in _ALPHABETS:
        alphabet = _ALPHABETS[name]
        return scaled(REACHED, 1 + sum(_character_distance(each, alphabet) for each in text))
    if name == "UUID":
        text = text.replace("-", "")
    return scaled(REACHED, 1 + _template_distance(text, _template(name, detail)))


def _json_nearness(text: str) -> float:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return REACHED + (1.0 - REACHED) * error.pos / (len(text) + 1)
    return FLAG


def _template(name: str, detail: str) -> str:
    if name != "datetime.strptime":
        return _TEMPLATES[name]
    return re.sub("%.", lambda found: _DIRECTIVES.get(found[0], "d"), detail)


def _template_distance(text: str, template: str) -> int:
    alphabets = {"d": DIGITS, "x": HEXADECIMAL}
    characters = sum(
        _character_distance(character, alphabets.get(place, place))
        for character, place in zip(text, template, strict=False)
    )
    return LENGTH_WEIGHT * abs(len(text) - len(template)) + characters


def _character_distance(character: str, alphabet: str) -> int:
    return min(abs(ord(character) - ord(member)) for member in alphabet)
