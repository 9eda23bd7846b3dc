"""Values that code computes from a request, and that a row can hold in place of its own.

    compared    what was computed of the request, and what a database holds
    then        the computed value is put in the place of the stored one, and the look is repeated

No knowledge of hashes is needed.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import REHASHED
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.sent_values import sent_values

SHORTEST_HASH = 12
"""Fewest characters of a hash: shorter values are numbers, names and codes."""

MOST_PUTS = 4
"""Most values that one look suggests to put into rows."""

EQUALITIES = frozenset({"==", "!=", "is", "is not", "in", "not in", "key", "startswith"})
"""Relations that identify a key.

Samples of patterns, conversions and limits look like keys, but are not.
"""


def puts(
    individual: Individual, observation: Observation, stored: Collection[str]
) -> Iterator[Stored]:
    """Yield values to put into rows so that the last comparisons become equal.

    `stored` are the texts that databases hold.
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
    comparison: Comparison, sent: Collection[str], stored: Collection[str]
) -> Iterator[Stored]:
    if comparison.relation == REHASHED:
        if isinstance(comparison.observed, tuple) and str(comparison.wanted) in stored:
            password, new, maker = map(str, comparison.observed)
            yield Stored(str(comparison.wanted), new, password, maker)
    elif comparison.relation in EQUALITIES:
        for observed, wanted in _directions(comparison):
            if len(observed) >= SHORTEST_HASH and observed not in sent and wanted not in sent:
                yield from _exchanged(observed, wanted, stored)


def _directions(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield each computed value with the value that it was compared with."""
    observed = _text(comparison.observed)
    wanted = comparison.wanted
    members: Iterable[object] = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    for member in members:
        other = _text(member)
        if observed and other and observed != other:
            yield observed, other
            yield other, observed


def _exchanged(observed: str, wanted: str, stored: Collection[str]) -> Iterator[Stored]:
    """Yield the stored texts that hold `wanted`, with `observed` in its place."""
    if observed in stored or len(wanted) < SHORTEST_HASH:
        return
    for text in stored:
        if wanted in text:
            yield Stored(text, text.replace(wanted, observed))


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""
