"""Corrects the results of repetitions with the project's own knowledge about its values.

    for each header that tests assert, and each place in a JSON answer, outermost first:
        unstable, with a reason   the value is not asserted, nor is anything in it
        stable                    it is, though a repetition contradicted it
        nothing said              as the repetitions have it

Verification decides at the end: a value that fails there is not asserted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.minimize.unstable import DEEPEST
from pytest_evosearch.minimize.unstable import JSON
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response

Stability: TypeAlias = "Callable[[str, object], str | bool | None]"
"""From a place (``$.items[0].id``, ``Location``) and its value to the verdict.

The verdict is the reason for an unstable value, True for a stable one, None for no statement.
"""

ASSERTED_HEADERS = ("Location", "WWW-Authenticate")

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)

Unstable: TypeAlias = "Mapping[tuple[int, FactPath], str]"


def corrected(unstable: Unstable, exchanges: Sequence[Exchange], stability: Stability) -> Unstable:
    """Return the unstable facts of `exchanges`, corrected by `stability`."""
    found = dict(unstable)
    for call, exchange in enumerate(exchanges):
        if exchange.response is None:
            continue
        for fact, said in _statements(exchange.response, stability):
            for known in [one for one in found if one[0] == call and _lies_in(one[1], fact)]:
                del found[known]
            if isinstance(said, str):
                found[call, fact] = said
    return dict(sorted(found.items(), key=lambda entry: entry[0][0]))


def _lies_in(fact: FactPath, place: FactPath) -> bool:
    return fact[: len(place)] == place


def _statements(response: Response, stability: Stability) -> Iterator[tuple[FactPath, str | bool]]:
    """Yield the statements about places of a response, outer places first."""
    for name in ASSERTED_HEADERS:
        value = response.header(name)
        said = None if value is None else stability(name, value)
        if said is not None:
            yield ("header", name), said
    if response.is_json:
        try:
            content = response.json()
        except (ValueError, RecursionError):
            return
        yield from _statements_inside(content, JSON, "$", stability)


def _statements_inside(
    value: object, fact: FactPath, place: str, stability: Stability
) -> Iterator[tuple[FactPath, str | bool]]:
    said = stability(place, value)
    if said is not None:
        yield fact, said
    if isinstance(said, str) or len(fact) > DEEPEST:
        return
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _statements_inside(part, (*fact, key), f"{place}{_step(key)}", stability)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _statements_inside(part, (*fact, index), f"{place}[{index}]", stability)


def _step(key: str) -> str:
    """Return ``.name``, or ``['odd name']`` for a key that is no name."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{key!r}]"
