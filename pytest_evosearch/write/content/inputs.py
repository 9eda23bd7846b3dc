"""The named inputs of a request: location, value, and the resource that each identifies."""

from __future__ import annotations

import re
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.endpoint_words import resource_of

Slot: TypeAlias = "tuple[str, str]"
"""Location of a value and its name: ("form", "title"), ("json", "author_name")."""

BODY = frozenset(one.value for one in BODY_LOCATIONS)
"""Locations inside a request's body."""

LINKED = "linked"
"""Replaces a value that an earlier response returned."""


def slots_of(request: Request) -> dict[Slot, object]:
    """Return every named input of a request; JSON objects are split one level deep.

    A value from an earlier response is `LINKED`, whatever it was: tokens of different tests count
    as equal.
    """
    slots: dict[Slot, object] = {
        (location, name.lower() if location == "header" else name): value
        for location, pairs in request.pairs.items()
        for name, value in pairs
    }
    payload = request.payload
    if isinstance(payload, dict):
        slots.update({("json", str(name)): value for name, value in payload.items()})
    elif request.has_json:
        slots[("json", "body")] = payload
    if request.text is not None:
        slots[("text", "body")] = request.text
    for place in request.origins:
        depth = len(place) if operation_of(request.template) else 2
        slot = (str(place[0]), str(place[-1])) if len(place) == depth else None
        if slot is not None and slot[0] == "header":
            slot = (slot[0], slot[1].lower())
        if slot in slots:
            slots[slot] = LINKED
    return slots


def fields_of(request: Request) -> list[str]:
    """Return the names of the fields of a body, without those that earlier responses returned."""
    slots = slots_of(request).items()
    fields = (
        snake_case(name) for (place, name), value in slots if place in BODY and value != LINKED
    )
    return [name for name in fields if name]


def identifies(name: str) -> bool:
    """Say whether an input of that name identifies a resource: ``id``, ``order_id``, ``slug``."""
    return IDENTIFIER.is_meant_by(name, Certainty.POSSIBLE)


def owner_of(request: Request, name: str) -> str:
    """Return the resource of an identifier: ``book`` for ``book_id``; ``id`` where unknown."""
    plain = snake_case(name) or "id"
    owner = plain.rpartition("_")[0]
    if not IDENTIFIER.is_meant_by(plain, Certainty.LIKELY):
        return plain
    subject = resource_of(request.template)
    said_already = subject == owner or subject.endswith(f"_{owner}")
    return "id" if owner in ("path", "url", "item", "object", "my", "") or said_already else owner


class InnerDifference(NamedTuple):
    """A value inside an input that differs from the usual one."""

    name: str
    value: object
    usual: object


def inner_differences(mine: object, theirs: object, name: str = "") -> list[InnerDifference]:
    """Return the named values that differ inside two documents of one shape.

    For lists, the first items are compared: ``[{"product_id": 9}]`` with ``[{"product_id": 1}]``.
    """
    if isinstance(mine, dict) and isinstance(theirs, dict):
        if mine.keys() != theirs.keys():
            return []
        parts = [inner_differences(mine[key], theirs[key], str(key)) for key in mine]
        return [one for part in parts for one in part]
    if isinstance(mine, list) and isinstance(theirs, list) and mine and theirs:
        return inner_differences(mine[0], theirs[0], name)
    return [InnerDifference(name, mine, theirs)] if name and mine != theirs else []


def mentions(text: str, name: str) -> bool:
    """Say whether a text contains the name of an input, even as ``e-mail`` or in several words."""
    spoken = snake_case(name).replace("_", "[ _-]?")
    plain = re.sub(r"(?<=\b[A-Za-z])-(?=[a-z])", "", text)
    return len(name) > 1 and bool(re.search(rf"\b{spoken}s?\b", plain, re.IGNORECASE))
