"""Values that code computes from a request, and that a row can hold in place of its own.

    compared    what was computed of the request, and what a database holds
    then        the computed value is put in the place of the stored one, and the look is repeated

No knowledge of hashes is needed.
"""

from __future__ import annotations

from base64 import b64encode
from base64 import urlsafe_b64encode
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeAlias

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import REHASHED
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.sent_values import sent_values

Held: TypeAlias = "str | bytes"
"""A value that a database may hold."""

SHORTEST_HASH = 12
"""Fewest characters of a hash: shorter values are numbers, names and codes."""

MOST_PUTS = 4
"""Most values that one look suggests to put into rows."""

EQUALITIES = frozenset({"==", "!=", "is", "is not", "in", "not in", "key", "startswith"})
"""Relations that identify a key.

Samples of patterns, conversions and limits look like keys, but are not.
"""


def puts(
    individual: Individual, observation: Observation, stored: Collection[Held]
) -> Iterator[Stored]:
    """Yield values to put into rows so that the last comparisons become equal.

    `stored` are the texts and bytes that databases hold.
    """
    sent = {str(one.value) for one in sent_values(individual, observation.exchanges)}
    found: dict[Stored, None] = {}
    for comparison in reversed(observation.guidance):
        for put in _puts_of(comparison, sent, stored):
            found.setdefault(put)
        if len(found) >= MOST_PUTS:
            break
    yield from found


def _puts_of(
    comparison: Comparison, sent: Collection[str], stored: Collection[Held]
) -> Iterator[Stored]:
    if comparison.relation == REHASHED:
        put = rehashed(comparison)
        if put is not None and put.old in stored:
            yield put
    elif comparison.relation in EQUALITIES:
        for observed, wanted in _directions(comparison):
            if len(observed) >= SHORTEST_HASH and observed not in sent and wanted not in sent:
                yield from _exchanged(observed, wanted, stored)


def rehashed(comparison: Comparison) -> Stored | None:
    """Return the hash of a sent password and what it was checked with, None for no such check."""
    if comparison.relation != REHASHED or not isinstance(comparison.observed, tuple):
        return None
    password, new, maker = map(str, comparison.observed)
    return Stored(str(comparison.wanted), new, password, maker)


def _directions(comparison: Comparison) -> Iterator[tuple[Held, Held]]:
    """Yield each computed value with what it was compared with."""
    observed = _held(comparison.observed)
    wanted = comparison.wanted
    members: Iterable[object] = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    for member in members:
        other = _held(member)
        if observed and other and observed != other:
            yield observed, other
            yield other, observed


def _exchanged(observed: Held, wanted: Held, stored: Collection[Held]) -> Iterator[Stored]:
    """Yield what is stored and holds `wanted`, with `observed` in its place.

    Bytes may be stored as they are, or spelt as a text.
    """
    if observed in stored or len(wanted) < SHORTEST_HASH:
        return
    for old in stored:
        if isinstance(old, bytes):
            if _bytes(wanted) in old:
                yield Stored(old, old.replace(_bytes(wanted), _bytes(observed)))
            continue
        for spell in _SPELLINGS if isinstance(wanted, bytes) else (_text,):
            if spell(wanted) in old:
                yield Stored(old, old.replace(spell(wanted), spell(observed)))
                break


def _held(value: object) -> Held:
    """Return a text, or bytes that are no text; empty for anything else."""
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
        return value
    return value if isinstance(value, str) else ""


def _bytes(value: Held) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


def _text(value: Held) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


_SPELLINGS: tuple[Callable[[Held], str], ...] = (
    lambda value: _bytes(value).hex(),
    lambda value: _bytes(value).hex().upper(),
    lambda value: b64encode(_bytes(value)).decode(),
    lambda value: urlsafe_b64encode(_bytes(value)).decode(),
    lambda value: b64encode(_bytes(value)).decode().rstrip("="),
    lambda value: urlsafe_b64encode(_bytes(value)).decode().rstrip("="),
)
"""Ways in which bytes are written as a text."""
