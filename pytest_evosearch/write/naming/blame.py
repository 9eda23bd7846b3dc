"""Reads in a crash which input is to blame: what it names says more than what differs.

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
from dataclasses import dataclass

from pytest_evosearch.core.english import snake_case
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
_NOTHING = "NoneType"
"""What messages call a value that is not there."""

_EMPTY = (": ''", ': ""')
"""How messages end that show an empty text: ``invalid literal for int() with base 10: ''``."""


@dataclass(frozen=True)
class Blame:
    """What a crash says of one input."""

    adjective: str
    """``missing``, ``null``, ``unknown``, ``taken``."""
    name: str


def blamed_input(exchange: Exchange, siblings: Sequence[Exchange]) -> Blame | None:
    """Return the input that the crash of a call itself names, None where it names none."""
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
    """Return the names of the inputs that were sent by any call, or looked for by this one."""
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
    """Return the one missing input that the failing line takes for something else.

    In its place stands None, or the empty text that the reader of it has for such a case.
    """
    if _NOTHING not in crash.message and not crash.message.rstrip().endswith(_EMPTY):
        return None
    spoken = [name for name in re.findall(r"\w+", _failing_line(crash)) if name in missing]
    return Blame("missing", snake_case(spoken[0])) if len(set(spoken)) == 1 else None


def _null(crash: Crash, mine: Mapping[Slot, object]) -> Blame | None:
    """Return the one input that is sent as null, where the crash is about nothing."""
    names = [name for (_, name), value in mine.items() if value is None]
    if _NOTHING not in crash.message or len(names) != 1:
        return None
    return Blame("null", snake_case(names[0]))


def _not_found(crash: Crash, exchange: Exchange) -> Blame | None:
    """Return the identifier of a path under which there was nothing."""
    slots = slots_of(exchange.request)
    given = [name for (place, name), value in slots.items() if place == "path" and value != LINKED]
    identifying = [name for name in given if identifies(name)]
    if _NOTHING not in crash.message or len(identifying) != 1:
        return None
    return Blame("unknown", owner_of(exchange.request, identifying[0]))


def _failing_line(crash: Crash) -> str:
    """Return the source of the line of the application that failed, as its traceback shows it."""
    name = re.escape(crash.path.rpartition("/")[2])
    place = rf'File "[^"\n]*{name}", line {crash.line}, in [^\n]*\n\s*(?P<source>[^\n]*)'
    found = re.search(place, crash.traceback)
    return found["source"] if found is not None and crash.path else ""
