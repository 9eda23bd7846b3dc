"""Tells which values hardly any client sends: another type where an endpoint mostly gets texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from collections.abc import Iterable

from pytest_evosearch.problem.http.descriptions.guesses import gene_by_name
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of


def texts_among(requests: Iterable[Request]) -> frozenset[Slot]:
    """Return the fields of JSON objects that requests of one endpoint mostly send as texts.

    What a name calls a number, a flag or a list (`chat_id`) is no text, whatever was tried.
    """
    types: dict[Slot, Counter[bool]] = {}
    for request in requests:
        for slot, value in slots_of(request).items():
            if slot[0] == Location.JSON.value and value is not None and _is_text(slot[1]):
                types.setdefault(slot, Counter())[isinstance(value, str)] += 1
    return frozenset(slot for slot, seen in types.items() if seen[True] > seen[False])


def _is_text(name: str) -> bool:
    return isinstance(gene_by_name(name, in_json=True).value(), str)


def odd_slots(request: Request, texts: Container[Slot]) -> list[Slot]:
    """Return the fields of a request that hold something else where texts are usual."""
    held = slots_of(request).items()
    return [
        slot
        for slot, value in held
        if slot in texts and not (value is None or isinstance(value, str))
    ]
