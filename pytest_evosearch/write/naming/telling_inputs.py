"""Says which inputs tell calls of one endpoint apart, for names that are equal otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.naming.caller_credentials import credentials_of
from pytest_evosearch.write.naming.proven_conditions import shown
from pytest_evosearch.write.naming.proven_conditions import thing_of


def input_phrases(act: Exchange, siblings: Sequence[Exchange]) -> Iterator[str]:
    """Yield phrases for the inputs, one by one, to distinguish otherwise equal names of successes.

    Examples: ``with_if_none_match`` for an input, and ``with_book`` for a stored row, without which
    one of the `siblings` has another answer; ``n_10241`` and ``pages_301`` for short values, of
    rows those that the answer shows.
    """
    request = act.request
    keys = {snake_case(name) for _, name in credentials_of(request)}
    whole = _parts_of(request)
    for part in whole:
        name = thing_of(part[1]) if part[0] == ROW else snake_case(part[1])
        rest = {slot: value for slot, value in whole.items() if slot != part}
        is_usual = part[0] == "path" or name in keys  # successful callers always send these
        if name and not is_usual and any(_answers_otherwise(act, one, rest) for one in siblings):
            yield f"with_{name}"
    said = act.response.text if act.response is not None else ""
    for row in reversed(request.rows):
        yield from _values({key: value for key, value in row.values.items() if str(value) in said})
    slots = slots_of(request).items()
    telling = {slot[1]: value for slot, value in slots if slot[0] not in ("header", "path")}
    yield from _values(telling or request.path)
    if request.query:
        yield "with_query"


def _parts_of(request: Request) -> dict[Slot, object]:
    rows: dict[Slot, object] = {
        (ROW, row.model): dict(row.values) for row in reversed(request.rows)
    }
    return {**rows, **slots_of(request)}


def _answers_otherwise(act: Exchange, other: Exchange, parts: Mapping[Slot, object]) -> bool:
    """Say whether the same user has sent these parts alone, and got another answer."""
    is_same = other.user == act.user and _parts_of(other.request) == parts
    return is_same and _answer(other) != _answer(act)


def _answer(exchange: Exchange) -> tuple[object, ...]:
    """Return what a response says; of a page its texts, as hidden values may be tokens."""
    response = exchange.response
    if response is None:
        return (exchange.status,)
    if response.is_markup:
        return (response.status, *(one.text for one in page_texts(response.text)))
    return response.status, response.body


def deciding_input(acts: Sequence[Exchange]) -> str:
    """Return the one input in which calls of a table differ, if their answers differ, too."""
    parts = [_parts_of(one.request) for one in acts]
    slots = dict.fromkeys(slot for one in parts for slot in one)
    differing = [
        slot for slot in slots if len({repr(one.get(slot, NOT_SENT)) for one in parts}) > 1
    ]
    is_decided = len(set(map(_answer, acts))) > 1
    return snake_case(differing[0][1]) if is_decided and len(differing) == 1 else ""


def _values(named: Mapping[str, object]) -> Iterator[str]:
    for name, value in named.items():
        text = "" if value == LINKED else shown(value)
        if text and snake_case(name):
            yield f"{snake_case(name)}_{text}"
