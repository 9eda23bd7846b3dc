"""What an operand should have been for a condition to go the other way."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from collections.abc import Iterator

from pytest_evosearch.problem.http.filling.transforms import DATE_FORMATS

MOST_MEMBERS = 300
"""Members of a container that are proposed one by one."""

_WORDS = {
    "isdigit": "1",
    "isdecimal": "1",
    "isnumeric": "1",
    "isalpha": "a",
    "isalnum": "a1",
    "isupper": "A",
    "islower": "a",
    "isspace": " ",
    "istitle": "Aa",
    "isidentifier": "a",
    "isascii": "a",
    "isprintable": "a",
}
"""Texts for which a predicate of `str` holds."""

_OF_WHOLE_TEXT = frozenset({"istitle", "isidentifier"})
"""Predicates that do not ask each character by itself."""

LONGEST_KEPT = 300
"""Characters of a text that is changed character by character."""

_PARSABLE: dict[str, tuple[object, ...]] = {
    "int": ("1", "0", "-1"),
    "float": ("1.5", "0", "-1"),
    "decimal": ("1.5", "0"),
    "complex": ("1",),
    "bool": ("true", "1"),
    "date": ("2024-01-15",),
    "date.fromisoformat": ("2024-01-15",),
    "datetime": ("2024-01-15T12:30:00",),
    "datetime.fromisoformat": ("2024-01-15T12:30:00", "2024-01-15"),
    "time.fromisoformat": ("12:30:00",),
    "uuid": ("12345678-1234-4678-9234-567812345678",),
    "json.loads": ("{}", "[]", "1"),
    "b64decode": ("YQ==",),
    "fromhex": ("61",),
    "ip_address": ("127.0.0.1", "::1"),
}
"""Texts that a conversion accepts, by the last words of its name."""

_SAMPLE_MOMENT = datetime.datetime(2024, 1, 15, 12, 30)

_OF_TYPE: dict[str, object] = {
    "str": "a",
    "int": 1,
    "float": 1.5,
    "bool": True,
    "list": [],
    "tuple": [],
    "dict": {},
    "NoneType": None,
}


def wishes(relation: str, observed: object, wanted: object) -> Iterator[object]:
    """Yield values for the operand `observed`, the best first; nothing when none is known."""
    if relation in _WORDS:
        yield from _of_class(relation, observed)
        yield _WORDS[relation]
        return
    wishers: dict[str, Callable[[object, object], Iterator[object]]] = {
        "<": _around,
        "<=": _around,
        ">": _around,
        ">=": _around,
        "in": _members,
        "not in": _members,
        "key": _members,
        "contains": _containing,
        "startswith": _beginning,
        "endswith": _ending,
        "parse": _parsable,
        "isinstance": _of_type,
        "match": _nothing,
        "fullmatch": _nothing,
        "search": _nothing,
    }
    yield from wishers.get(relation, _equal)(observed, wanted)


def _of_class(relation: str, observed: object) -> Iterator[str]:
    """Yield the text with its length kept: only characters that the predicate dislikes change."""
    if not isinstance(observed, str) or not 1 < len(observed) <= LONGEST_KEPT:
        return
    if relation in ("isupper", "islower"):
        yield observed.upper() if relation == "isupper" else observed.lower()
    elif relation not in _OF_WHOLE_TEXT:
        word = _WORDS[relation]
        holds = getattr(str, relation)
        yield "".join(each if holds(each) else word[0] for each in observed)


def _nothing(_observed: object, _wanted: object) -> Iterator[object]:
    """Patterns are sampled where a random source is at hand: see `mutation`."""
    return iter(())


def _equal(observed: object, wanted: object) -> Iterator[object]:
    if observed != wanted or type(observed) is not type(wanted):
        yield wanted


def _around(_observed: object, wanted: object) -> Iterator[object]:
    """Yield the border and its two neighbours."""
    if isinstance(wanted, bool):
        return
    if isinstance(wanted, (int, float)):
        yield wanted
        yield wanted + 1
        yield wanted - 1
    elif isinstance(wanted, str):
        yield wanted
        yield wanted + "a"
        if wanted:
            yield wanted[:-1]
            yield wanted[:-1] + chr(min(ord(wanted[-1]) + 1, 0x10FFFF))
            yield wanted[:-1] + chr(max(ord(wanted[-1]) - 1, 0))
    else:
        yield wanted
        yield from _steps(wanted)


def _steps(wanted: object) -> Iterator[object]:
    """Yield the moments a day, and a second, from a date or a moment."""
    if isinstance(wanted, datetime.date):
        deltas = [datetime.timedelta(days=1), datetime.timedelta(days=-1)]
        if isinstance(wanted, datetime.datetime):
            deltas += [datetime.timedelta(seconds=1), datetime.timedelta(seconds=-1)]
        within = datetime.date.min.year < wanted.year < datetime.date.max.year
        yield from (wanted + delta for delta in deltas if within)


def _members(observed: object, wanted: object) -> Iterator[object]:
    """Yield every member; a text is a container of its parts."""
    if isinstance(wanted, str):
        yield wanted
        if isinstance(observed, str):
            yield observed + wanted
    elif isinstance(wanted, (tuple, list)):
        for index, member in enumerate(wanted):
            if index >= MOST_MEMBERS:
                return
            if member != observed:
                yield member


def _containing(observed: object, wanted: object) -> Iterator[object]:
    if isinstance(observed, str) and isinstance(wanted, str):
        yield wanted
        yield observed + wanted
        yield wanted + observed


def _beginning(observed: object, wanted: object) -> Iterator[object]:
    for beginning in wanted if isinstance(wanted, tuple) else (wanted,):
        if isinstance(beginning, type(observed)):
            yield beginning
            yield beginning + observed  # type: ignore[operator]
            # In the place of what is there: the length may be right already.
            yield beginning + observed[len(beginning) :]  # type: ignore[index, arg-type]


def _ending(observed: object, wanted: object) -> Iterator[object]:
    for ending in wanted if isinstance(wanted, tuple) else (wanted,):
        if isinstance(ending, type(observed)):
            yield observed + ending  # type: ignore[operator]
            yield ending
            if ending:
                yield observed[: -len(ending)] + ending  # type: ignore[index, arg-type]


def _parsable(_observed: object, wanted: object) -> Iterator[object]:
    """Yield texts that the conversion `wanted` accepts: ``int``, ``strptime:%Y`` ..."""
    if not isinstance(wanted, str):
        return
    name, _, argument = wanted.partition(":")
    if "strptime" in name:
        for pattern in (argument,) if argument else DATE_FORMATS:
            yield _SAMPLE_MOMENT.strftime(pattern)
        return
    words = name.strip().lower().split(".")
    for length in (2, 1):
        known = _PARSABLE.get(".".join(words[-length:]))
        if known is not None:
            yield from known
            return


def _of_type(_observed: object, wanted: object) -> Iterator[object]:
    names = wanted if isinstance(wanted, tuple) else (wanted,)
    for name in names:
        plain = getattr(name, "__name__", name)
        if plain in _OF_TYPE:
            yield _OF_TYPE[plain]
