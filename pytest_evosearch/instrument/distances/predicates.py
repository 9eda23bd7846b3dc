"""How near a text is to passing a predicate, matching a pattern or being converted.

These are pure functions that never raise, and whose scores are in (0, 1). Like `distance`, they
only read values of exact types: `str` and `bytes`.
"""

from __future__ import annotations

import re
from datetime import datetime
from enum import EnumMeta
from enum import Flag
from functools import lru_cache
from types import ModuleType
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.scores import scaled
from pytest_evosearch.instrument.distances import distance
from pytest_evosearch.instrument.distances.distance import FLAG
from pytest_evosearch.instrument.distances.distance import LENGTH_WEIGHT
from pytest_evosearch.instrument.distances.distance import bounded
from pytest_evosearch.instrument.distances.pattern_distance import pattern_distance
from pytest_evosearch.instrument.distances.pattern_distance import regex_modules
from pytest_evosearch.instrument.distances.text_conversions import CONVERSIONS
from pytest_evosearch.instrument.distances.text_conversions import DIGITS
from pytest_evosearch.instrument.distances.text_conversions import HEXADECIMAL
from pytest_evosearch.instrument.distances.text_conversions import STRPTIME

LONGEST_TEXT = 200
"""Longest text that is matched against parts of a pattern or a template."""

LONGEST_PATTERN = 20
"""Most items of a pattern that are tried one after another."""

LAST_PLAIN = 127
"""Code of the last character of ASCII."""


def _borders(predicate: str) -> str:
    """Return the ASCII characters with a predicate that have a neighbour without it."""
    holds = [bool(getattr(chr(code), predicate)()) for code in range(LAST_PLAIN + 1)]
    around = zip([False, *holds], holds, [*holds[1:], False], strict=False)
    return "".join(
        chr(code)
        for code, (before, inside, after) in enumerate(around)
        if inside and not (before and after)
    )


CLASS_MEMBERS = {
    name: _borders("isalpha" if name == "istitle" else name)
    for name in dir(str)
    if name.startswith("is")
}
"""Predicate -> characters from which the distance of a failing character is measured."""


def nearness(name: str, subject: Any, arguments: tuple[Any, ...], outcome: bool) -> float:
    """Score how near the predicate `name` of `subject` is to its other outcome."""
    if outcome:
        return distance.AWAY
    try:
        if name == "get":
            return bounded(distance.nearness("in", arguments[0], subject))
        if name in ("match", "fullmatch", "search"):
            return bounded(_pattern_nearness(name, subject, arguments))
        if name == "isinstance":
            return _instance_nearness(subject, arguments[0])
        if name in ("hasattr", "getattr"):
            return bounded(distance.nearness("in", arguments[0], attributes(subject)))
        if type(subject) not in (str, bytes):
            return FLAG
        if arguments:
            return bounded(_affix_nearness(name, subject, arguments[0]))
        return bounded(_class_nearness(name, subject)) if type(subject) is str else FLAG
    except Exception:  # the application must not notice
        return FLAG


CONVERTIBLE = 0.3
RELATED = 0.5
"""Scores of a text that spells a value of the wanted type, and of another kind of number."""


def _instance_nearness(value: Any, wanted: Any) -> float:
    """Score how near a value is to an instance of the `wanted` type."""
    if value is None:
        return FLAG
    names = type_names(wanted)
    if type(value) in distance.NUMBERS and not NUMBER_NAMES.isdisjoint(names):
        return RELATED
    if type(value) is str and any(
        converts(name, value, "") for name in names if name in CONVERSIONS
    ):
        return CONVERTIBLE
    return REACHED


NUMBER_NAMES = {*(kind.__name__ for kind in distance.NUMBERS), "complex", "Number"}

_PLAIN_NAME = type.__dict__["__name__"].__get__
_PLAIN_ORDER = type.__dict__["__mro__"].__get__
_PLAIN_NAMESPACE = type.__dict__["__dict__"].__get__
# attributes of a metaclass do not count


def type_names(wanted: Any) -> tuple[str, ...]:
    """Return the names of the class or classes in an ``isinstance`` call."""
    if type(wanted) is tuple:
        return tuple(name for each in wanted[: distance.MEMBERS] for name in type_names(each))
    return (_PLAIN_NAME(wanted),) if isinstance(type(wanted), type) and _is_class(wanted) else ()


def _is_class(value: Any) -> bool:
    return type in _PLAIN_ORDER(type(value))


def enum_values(kind: Any) -> tuple[Any, ...] | None:
    """Return the values of an enum's members, None when other values are valid, too."""
    if type(kind) is not EnumMeta or _PLAIN_NAMESPACE(kind).get("_missing_") is not None:
        return None
    if any(
        "_missing_" in _PLAIN_NAMESPACE(base) for base in _PLAIN_ORDER(kind) if not _is_std(base)
    ):
        return None
    if issubclass(kind, Flag):
        return None  # Any combination of members is valid, too.
    known = _PLAIN_NAMESPACE(kind).get("_value2member_map_", {})
    members = _PLAIN_NAMESPACE(kind).get("_member_map_", {})
    if not members or {id(each) for each in known.values()} != {id(m) for m in members.values()}:
        return None
    return tuple(known)


def _is_std(base: type) -> bool:
    return base.__module__ in ("enum", "builtins")


def attributes(subject: Any) -> tuple[str, ...]:
    """Return the public names of a module, or of a class and its bases, in order."""
    if type(subject) is ModuleType:
        spaces: tuple[Any, ...] = (subject.__dict__,)
    else:
        owner = subject if _is_class(subject) else type(subject)
        spaces = tuple(_PLAIN_NAMESPACE(base) for base in _PLAIN_ORDER(owner)[:-1])
    names = [name for space in spaces for name in list(space) if type(name) is str]
    public = dict.fromkeys(name for name in names if not name.startswith("_"))
    return tuple(public)[: distance.MEMBERS]


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
    # Each character passes but the whole text does not ("1a".isidentifier()): one step away.
    return scaled(REACHED, max(total, 1))


def pattern_text(subject: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return (pattern's text, matched text) of ``re.match(p, s)`` or ``compiled.match(s)``."""
    if len(arguments) == 1:
        return (_source_of(subject) if type(subject) is re.Pattern else None), arguments[0]
    pattern = arguments[0]
    return (_source_of(pattern) if type(pattern) is re.Pattern else pattern), arguments[1]


def _source_of(pattern: re.Pattern[Any]) -> Any:
    """Return the text of a pattern; a verbose one says so itself."""
    is_verbose = pattern.flags & re.VERBOSE and type(pattern.pattern) is str
    return f"(?x){pattern.pattern}" if is_verbose else pattern.pattern


def _pattern_nearness(name: str, subject: Any, arguments: tuple[Any, ...]) -> float:
    pattern = subject if type(subject) is re.Pattern else arguments[0]
    text = arguments[-1]
    flags = pattern.flags if type(pattern) is re.Pattern else 0
    source = pattern.pattern if type(pattern) is re.Pattern else pattern
    if type(source) is not str or type(text) is not str or len(text) > LONGEST_TEXT:
        return FLAG
    edits = pattern_distance(name, source, flags, text)
    if edits is not None:
        # The automaton is coarser than the pattern, so a text that it accepts counts as one step
        # away.
        return scaled(REACHED, max(edits, CLOSEST_EDIT))
    return _prefix_nearness(name, source, flags, text)


CLOSEST_EDIT = 0.25
"""Least cost for a text without a match: below any real change."""


def _prefix_nearness(name: str, source: str, flags: int, text: str) -> float:
    """Score by the number of matching items of the pattern."""
    prefixes = _pattern_prefixes(source, flags)
    if not prefixes:
        return FLAG
    reached = 0
    for prefix in prefixes:
        found = prefix.search(text) if name == "search" else prefix.match(text)
        if found is None:
            break
        reached += 1
    # Of two texts with equally many matching items, the one with a shorter rest is nearer.
    surplus = len(text) / (len(text) + 1.0) if reached == len(prefixes) else 0.5
    return REACHED + (1.0 - REACHED) * (reached + 1 - surplus) / (len(prefixes) + 2)


@lru_cache(maxsize=512)
def _pattern_prefixes(source: str, flags: int) -> tuple[re.Pattern[str], ...]:
    """Compile the pattern's first item, its first two, and so on."""
    parser, compiler = regex_modules()
    try:
        items = parser.parse(source, flags & ~re.DEBUG)
        count = min(len(items), LONGEST_PATTERN)
        return tuple(compiler.compile(items[:end], flags) for end in range(1, count + 1))
    except Exception:  # a pattern that cannot be split only gives a flag
        return ()


# Conversions


def converts(name: str, text: str, detail: str) -> bool:
    """Say whether the conversion `name` accepts `text`."""
    try:
        if name == STRPTIME:
            datetime.strptime(text, detail)
        else:
            CONVERSIONS[name].convert(text)
    except Exception:  # any exception means "no"
        return False
    return True


_SAMPLE_MOMENT = datetime(2000, 1, 1)
"""Used to write date formats, to see which characters are digits."""


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
    alphabet = CONVERSIONS[name].alphabet if name != STRPTIME else ""
    if alphabet:
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
    if name != STRPTIME:
        return CONVERSIONS[name].template
    return re.sub(r"\d", "d", _SAMPLE_MOMENT.strftime(detail))


def _template_distance(text: str, template: str) -> int:
    alphabets = {"d": DIGITS, "x": HEXADECIMAL}
    characters = sum(
        _character_distance(character, alphabets.get(place, place))
        for character, place in zip(text, template, strict=False)
    )
    return LENGTH_WEIGHT * abs(len(text) - len(template)) + characters


def _character_distance(character: str, alphabet: str) -> int:
    return min(abs(ord(character) - ord(member)) for member in alphabet)
