"""What error messages show: functions in C name the class of a stand-in, and what they want.

The messages are equal in Python 3.10 to 3.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_evosearch.standins.likely_types import TYPES

_STANDIN = r"['\"(]*(?P<standin>Standin\d+|str|int|float|bytes|list|dict|tuple|set|NoneType)\b"

_WANTED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"expected str instance, {_STANDIN} found", ("str",)),
    (rf"expected string or bytes-like object(?:, got)? {_STANDIN}", ("str", "bytes")),
    (rf"expected str, bytes or os.PathLike object, not {_STANDIN}", ("str", "Path")),
    (rf"{_STANDIN}'? object cannot be interpreted as an integer", ("int",)),
    (rf"must be real number, not {_STANDIN}", ("float", "int")),
    (rf"float\(\) argument must be .*not {_STANDIN}", ("float", "str")),
    (rf"int\(\) argument must be .*not {_STANDIN}", ("str", "int")),
    (rf"requires string as left operand, not {_STANDIN}", ("str",)),
    (rf"bytes-like object is required, not {_STANDIN}", ("bytes",)),
    (rf"format: an? (?:real number|number|integer) is required, not {_STANDIN}", ("int",)),
    (rf"an integer is required \(got type {_STANDIN}", ("int",)),
    (rf"unsupported type for timedelta \w+ component: {_STANDIN}", ("int",)),
    (rf"conversion from {_STANDIN} to Decimal is not supported", ("str", "int")),
    (rf"(?:indices|index) must be integers.*not {_STANDIN}", ("int",)),
    (rf"attribute name must be string, not {_STANDIN}", ("str",)),
    (rf"expected (?P<kind>\w+) of length \d+, but {_STANDIN} found", ()),
    (rf"can only \w+ (?:an? )?(?P<kind>\w+) \(not {_STANDIN}", ()),
    (rf"for '(?P<kind>\w+)' objects? doesn't apply to (?:a |type )?{_STANDIN}", ()),
    (
        rf"(?:must|should) be (?:an? )?(?P<kind>\w+)(?: or (?P<other>\w+))?,? \w+ {_STANDIN}",
        (),
    ),
    (rf"(?:be|expected|requires?) (?:an? )?(?P<kind>\w+)\b.*(?:not|got) {_STANDIN}", ()),
    (rf"(?P<kind>Mapping|dict)\b.*{_STANDIN}", ()),
)
"""Pattern of a message -> the types that it wants, the likeliest first."""

_SAME = {
    "string": "str",
    "unicode": "str",
    "text": "str",
    "integer": "int",
    "number": "int",
    "real": "float",
    "Mapping": "dict",
    "mapping": "dict",
    "sequence": "list",
    "iterable": "list",
    "callable": "function",
    "boolean": "bool",
    "datetime": "datetime",
    "tuple": "tuple",
}
"""Words of messages for types."""

KNOWN = frozenset({*TYPES, "function"})
"""Types that a message may want."""

_UNPACKED = re.compile(
    r"not enough values to unpack \(expected (?:at least )?(\d+)|"
    r"too many values to unpack \(expected (\d+)|must be a sequence of length (\d+)"
)
_MISSING = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_NAMED_TYPES = re.compile(r"\b(str|int|float|bytes|list|dict|set|tuple|bool|NoneType|function)\b")
_COMPILED = tuple((re.compile(pattern), kinds) for pattern, kinds in _WANTED)


def wanted(message: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the class that a message does not want, and the types that it wants.

    The class is that of a stand-in, or a plain type where the guess was wrong.
    """
    for pattern, kinds in _COMPILED:
        found = pattern.search(message)
        if found is None:
            continue
        groups = found.groupdict()
        named = [type_named(word) for key in ("kind", "other") if (word := groups.get(key))]
        told = kinds or tuple(word for word in named if word in KNOWN)
        if told:
            yield found["standin"], told
            return


def type_named(word: str) -> str:
    """Return the name of the type that a word stands for: ``str`` for ``string``."""
    return _SAME.get(word, word)


_BARE = re.compile(r"(?:must be|expected|argument is not) (?:None or )?(?:an? )?(\w+)")


def wanted_by_nobody(message: str) -> tuple[str, ...]:
    """Return the types that a message wants without saying what it got."""
    found = _BARE.search(message)
    kind = type_named(found[1]) if found is not None else ""
    return (kind,) if kind in KNOWN else ()


_TEXT_KEY = re.compile(r"(string|list|tuple) indices must be integers.*not '?str")
_CALL = re.compile(
    r"missing (?:\d+ )?required (?:positional |keyword-only )?argument"
    r"|takes (?:from |exactly |at (?:most|least) )?\d+ .*(?:positional )?arguments?"
    r"|unexpected keyword argument"
)


def indexed_by_text(message: str) -> str:
    """Return the type that was asked for the item of a text key; empty for another message."""
    found = _TEXT_KEY.search(message)
    return type_named(found[1]) if found is not None else ""


def is_of_call(message: str) -> bool:
    """Say whether a message is about how many arguments a call has, and not about their types."""
    return _CALL.search(message) is not None


def arity(message: str) -> int:
    """Return into how many values something was unpacked; 0 for another message."""
    found = _UNPACKED.search(message)
    return int(next(filter(None, found.groups()))) if found is not None else 0


def missing_attribute(message: str) -> tuple[str, str]:
    """Return the type and the attribute that it lacks; empty texts for another message."""
    found = _MISSING.search(message)
    return (found[1], found[2]) if found is not None else ("", "")


def types_in(message: str) -> list[str]:
    """Return the names of types that a message mentions, in its order."""
    return list(dict.fromkeys(_NAMED_TYPES.findall(message)))
