"""Finds the input that caused a crash: a name in the crash is better evidence than a difference.

a key           that was read and not sent is missing; one that was sent is unknown
a constraint    that is broken names what is taken
the source      of the line that failed mentions inputs
None            where an input is null, that; else nothing was found under what identifies it
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.queries.refused_writes import columns_said_taken
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.inputs import owner_of
from pytest_evosearch.write.content.inputs import slots_of

_KEY = re.compile(r"(?:KeyError: )?(['\"])(?P<key>.*)\1", re.DOTALL)
NOTHING = "NoneType"
"""Name of a missing value in messages."""

_EMPTY = (": ''", ': ""')
"""Endings of messages about an empty text: ``invalid literal for int() with base 10: ''``."""


@dataclass(frozen=True)
class Blame:
    """The verdict of a crash on one input."""

    adjective: str
    """Adjective for the input: ``missing``, ``null``, ``unknown``, ``taken``."""
    name: str


def blamed_input(exchange: Exchange, siblings: Sequence[Exchange]) -> Blame | None:
    """Return the input that the crash of a call names, None when it names none."""
    crash = exchange.crash
    if crash is None:
        return None
    mine = slots_of(exchange.request)
    sent = {name for _, name in mine}
    missing = _known_names(exchange, siblings) - sent
    return (
        _blamed_key(crash, mine, missing)
        or _taken(crash, sent)
        or _missing_on_line(crash, missing)
        or _null(crash, mine)
        or _not_found(crash, exchange)
    )


def names_input(exchange: Exchange, name: str) -> bool:
    """Say whether the message of a crash, or the line that failed, mentions an input."""
    crash = exchange.crash
    return crash is not None and mentions(f"{crash.message} {_failing_line(crash)}", name)


def _known_names(exchange: Exchange, siblings: Sequence[Exchange]) -> set[str]:
    """Return the names of inputs that any call sent, or that this one looked for."""
    read = {str(read.path[-1]) for read in exchange.reads if read.path}
    return read.union(name for other in siblings for _, name in slots_of(other.request))


def _blamed_key(
    crash: Crash, mine: Mapping[Slot, object], missing: AbstractSet[str]
) -> Blame | None:
    found = _KEY.fullmatch(crash.message.strip()) if crash.type_name.endswith("KeyError") else None
    if found is None:
        return None
    key = found["key"]
    if key in missing:
        return Blame("missing", snake_case(key))
    owners = [
        name
        for (_, name), value in mine.items()
        if value != LINKED and isinstance(value, str) and value and value.lower() == key.lower()
    ]
    return Blame("unknown", snake_case(owners[0])) if len(owners) == 1 else None


def _taken(crash: Crash, sent: AbstractSet[str]) -> Blame | None:
    columns = columns_said_taken(crash.message)
    taken = [name for name in columns if name in sent]
    return Blame("taken", "_and_".join(snake_case(name) for name in taken)) if taken else None


def _missing_on_line(crash: Crash, missing: AbstractSet[str]) -> Blame | None:
    """Return the one missing input on the failing line.

    The line uses None in its place, or an empty text as its default.
    """
    if NOTHING not in crash.message and not crash.message.rstrip().endswith(_EMPTY):
        return None
    spoken = [name for name in re.findall(r"\w+", _failing_line(crash)) if name in missing]
    return Blame("missing", snake_case(spoken[0])) if len(set(spoken)) == 1 else None


def _null(crash: Crash, mine: Mapping[Slot, object]) -> Blame | None:
    """Return the one input that is null, when the crash is about a missing value."""
    names = [name for (_, name), value in mine.items() if value is None]
    if NOTHING not in crash.message or len(names) != 1:
        return None
    return Blame("null", snake_case(names[0]))


def _not_found(crash: Crash, exchange: Exchange) -> Blame | None:
    """Return the identifier of a path for which nothing was found."""
    slots = slots_of(exchange.request)
    given = [name for (place, name), value in slots.items() if place == "path" and value != LINKED]
    identifying = [name for name in given if identifies(name)]
    if NOTHING not in crash.message or len(identifying) != 1:
        return None
    return Blame("unknown", owner_of(exchange.request, identifying[0]))


def _failing_line(crash: Crash) -> str:
    """Return the source of the application's line that failed, from the traceback."""
    name = re.escape(crash.path.rpartition("/")[2])
    place = rf'File "[^"\n]*{name}", line {crash.line}, in [^\n]*\n\s*(?P<source>[^\n]*)'
    found = re.search(place, crash.traceback)
    return found["source"] if found is not None and crash.path else ""
