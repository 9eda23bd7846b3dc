"""Which value an operand needs for a condition to have the other outcome."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from collections.abc import Iterator

from pytest_evosearch.instrument.distances.predicates import CLASS_MEMBERS
from pytest_evosearch.instrument.distances.text_conversions import samples_of
from pytest_evosearch.problem.http.exchanges.moments import is_present
from pytest_evosearch.problem.http.filling.transforms import DATE_FORMATS

FAR_AHEAD = 50 * 365 * 24 * 3600
"""Seconds in the future after which a time compared with the clock has surely passed."""

MOST_MEMBERS = 300
"""Most members of a container that are proposed one by one."""

_OF_WHOLE_TEXT = frozenset({"istitle", "isidentifier"})
"""Predicates that do not test each character separately."""

LONGEST_KEPT = 300
"""Longest text that is changed character by character."""

_ALSO_PARSABLE = {
    "bool": ("true", "1"),
    "b64decode": ("YQ==",),
}
"""Texts that tolerant calls accept, or calls that probes do not treat as conversions."""

_SAMPLE_MOMENT = datetime.datetime(2024, 1, 15, 12, 30)

_SAMPLES: tuple[object, ...] = ("a", 1, 1.5, True, [], {}, None)
"""A value of each type that JSON has."""


def wishes(relation: str, observed: object, wanted: object) -> Iterator[object]:
    """Yield values for the operand `observed`, the best first; none when none is known."""
    if relation in CLASS_MEMBERS:
        yield from _of_class(relation, observed)
        yield _plainest(relation)
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
    """Yield the text with its length kept: replace only characters that fail the predicate."""
    if not isinstance(observed, str) or not 1 < len(observed) <= LONGEST_KEPT:
        return
    if relation in ("isupper", "islower"):
        yield observed.upper() if relation == "isupper" else observed.lower()
    elif relation not in _OF_WHOLE_TEXT:
        holds = getattr(str, relation)
        plain = _plainest(relation)
        yield "".join(each if holds(each) else plain for each in observed)


def _plainest(relation: str) -> str:
    """Return the plainest character for which a predicate of `str` is true."""
    return next(each for each in "a1A " if getattr(str, relation)(each))


def _nothing(_observed: object, _wanted: object) -> Iterator[object]:
    """Yield nothing: `mutation` samples patterns, because it has a random source."""
    return iter(())


def _equal(observed: object, wanted: object) -> Iterator[object]:
    if observed != wanted or type(observed) is not type(wanted):
        yield wanted


def _around(_observed: object, wanted: object) -> Iterator[object]:
    """Yield the boundary and its two neighbours."""
    if isinstance(wanted, bool):
        return
    if isinstance(wanted, (int, float)):
        if isinstance(wanted, float) and is_present(wanted):
            yield int(wanted) + FAR_AHEAD  # the clock advances: a time near the present soon passes
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
    """Yield the moments one day, and one second, from a date or a moment."""
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
            # Replace an existing part: the length may be right already.
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
    last = name.strip().lower().rpartition(".")[2]
    iso = f"{last}.fromisoformat"  # of a class that parses its texts itself
    yield from samples_of(name) or samples_of(iso) or _ALSO_PARSABLE.get(last, ())


def _of_type(_observed: object, wanted: object) -> Iterator[object]:
    names = wanted if isinstance(wanted, tuple) else (wanted,)
    for name in names:
        plain = getattr(name, "__name__", name)
        sent_as = "list" if plain == "tuple" else plain
        yield from (one for one in _SAMPLES if type(one).__name__ == sent_as)
