"""Groups reasons by their cause: one line for a cause, however many places it has.

look up rates.example at shop.py:11      a cause with the place shop.py:11
look up rates.example at shop.py:47      the same cause, another place
write /shop/reports/june.html            a cause with the folder: the file does not count
fails: assert {'n': 3} == {'n': 1}       a cause whose values do not count
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping

from pytest_evosearch.core.chance import GAP
from pytest_evosearch.core.quick_dataclasses import dataclass

SHOWN_PLACES = 2

_PLACE = re.compile(r" at ([^\s:]+:\d+)(?=\W|$)")
_REPEATED = re.compile(r"\b(\w+ [^\s]+(?: [^\s]+)??)(?: and \1)+(?=$| and )")
_WRITTEN = re.compile(r"\bwrite (/\S*/)[^\s/]+")
_COMPARED = re.compile(r"\b(assert) .*", re.DOTALL)
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+(?:\.\d+)?\b")


@dataclass(frozen=True)
class Cause:
    """One cause, and how often it counts."""

    text: str
    """The reason in full where all are equal, otherwise what they have in common."""
    times: int
    places: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """What it happened to."""

    @property
    def where(self) -> str:
        """Return the places: `` at a.py:1``, `` at 8 places (a.py:1, a.py:2, ...)``; or nothing."""
        if len(self.places) < 2:
            return "".join(f" at {one}" for one in self.places)
        shown = [*self.places[:SHOWN_PLACES], *[GAP][: len(self.places) - SHOWN_PLACES]]
        return f" at {len(self.places)} places ({', '.join(shown)})"

    @property
    def line(self) -> str:
        """Return the cause with its places."""
        return f"{self.text}{self.where}"


def causes_of(reasons: Iterable[tuple[str, str]]) -> list[Cause]:
    """Return the causes of pairs of a name and its reason, the most frequent first."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, reason in reasons:
        groups.setdefault(_kind_of(reason), []).append((name, reason))
    found = [_cause(pairs) for pairs in groups.values()]
    return sorted(found, key=lambda one: -one.times)


def causes_counted(attempts: Mapping[str, int]) -> list[Cause]:
    """Return the causes of attempts that were counted, in the order of their first one."""
    groups: dict[str, dict[str, int]] = {}
    for attempt, times in attempts.items():
        groups.setdefault(_without_places(attempt), {})[attempt] = times
    return [
        Cause(text, sum(counts.values()), _places_in(counts)) for text, counts in groups.items()
    ]


def _cause(pairs: list[tuple[str, str]]) -> Cause:
    reasons = list(dict.fromkeys(reason for _name, reason in pairs))
    names = tuple(name for name, _reason in pairs)
    texts = dict.fromkeys(map(_without_places, reasons))
    text = next(iter(texts)) if len(texts) == 1 else _kind_of(reasons[0])
    return Cause(text, len(pairs), _places_in(reasons), names)


def _places_in(reasons: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place for one in reasons for place in _PLACE.findall(one)))


def _without_places(reason: str) -> str:
    return _REPEATED.sub(r"\1", _PLACE.sub("", reason))


def _kind_of(reason: str) -> str:
    """Return a reason without places, values, and names of files in one folder."""
    plain = _REPEATED.sub(r"\1", _WRITTEN.sub(rf"write \1{GAP}", _without_places(reason)))
    return _VALUE.sub(GAP, _COMPARED.sub(rf"\1 {GAP}", plain))
