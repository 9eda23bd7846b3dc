"""Says in a word or two what is special about a request: ``empty_title``, ``unknown_id``.

What is special shows against the siblings: the other tests of the same endpoint,
especially one that succeeded with almost the same inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.write.resources import words

Slot: TypeAlias = "tuple[str, str]"
"""Where a value travels and its name: ("form", "title"), ("json", "author_name")."""

LONG_TEXT = 40
"""Characters from which a value is long rather than merely different."""

HUGE_NUMBER = 2**31 - 1
"""Beyond it a number is called huge: the end of the 32-bit range."""

_ABSENT = object()


@dataclass(frozen=True)
class Condition:
    """What is special about a request; an empty `phrase` is the plain case."""

    phrase: str = ""
    category: str = ""
    """What several conditions have in common: ``missing``, ``invalid``, ``unknown``."""


def slots_of(request: Request) -> dict[Slot, object]:
    """Return every named input of a request; JSON objects are taken apart one level deep."""
    slots: dict[Slot, object] = {("path", name): value for name, value in request.path.items()}
    slots.update({("query", name): value for name, value in request.query})
    slots.update({("form", name): value for name, value in request.form})
    slots.update({("file", name): upload.content for name, upload in request.files})
    slots.update({("header", name.lower()): value for name, value in request.headers})
    slots.update({("cookie", name): value for name, value in request.cookies})
    if isinstance(request.json, dict):
        slots.update({("json", str(name)): value for name, value in request.json.items()})
    elif request.has_json:
        slots[("json", "body")] = request.json
    if request.text is not None:
        slots[("text", "body")] = request.text
    return slots


def describe_condition(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Return what is special about `exchange` among its `siblings` (same endpoint)."""
    if exchange.status == 404 and exchange.request.path:
        name = list(exchange.request.path)[-1]
        return Condition(f"unknown_{words(name) or 'id'}", "unknown")
    if exchange.status in (401, 403):
        return _forbidden(exchange, siblings)
    sibling = nearest_sibling(exchange, siblings)
    if sibling is None or sibling.status >= 400:
        return _without_sibling(exchange)
    mine, theirs = slots_of(exchange.request), slots_of(sibling.request)
    changed = [slot for slot in {**theirs, **mine} if _value(mine, slot) != _value(theirs, slot)]
    if not changed:
        return Condition()
    failed = is_failure(exchange, sibling)
    if not failed and not [slot for slot in mine if slot[0] != "path"]:
        return Condition()  # a plain request that succeeds: there is nothing to tell
    return _of_changes(changed, mine, theirs, failed)


def _forbidden(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Who is refused is not refused for a value: only whose thing it was can matter."""
    allowed = [
        other
        for other in siblings
        if other.status < 400 and other.user == exchange.user and exchange.user is not None
    ]
    if not exchange.request.path or not allowed:
        return Condition()
    name = list(exchange.request.path)[-1]
    return Condition(f"forbidden_{words(name) or 'id'}", "forbidden")


def is_failure(exchange: Exchange, sibling: Exchange) -> bool:
    """Say whether `exchange` was refused where `sibling` was served.

    A form that is shown again (200) where the sibling is redirected counts as refused.
    """
    if exchange.status >= 400:
        return True
    shown_again = exchange.request.method == "POST" and exchange.status == 200
    return shown_again and 300 <= sibling.status < 400


def nearest_sibling(exchange: Exchange, siblings: Sequence[Exchange]) -> Exchange | None:
    """Return the best foil: a success by the same user with the fewest differences."""
    mine = slots_of(exchange.request)

    def order(place: int) -> tuple[bool, bool, bool, int, int]:
        other = siblings[place]
        theirs = slots_of(other.request)
        changed = sum(_value(mine, slot) != _value(theirs, slot) for slot in {**mine, **theirs})
        shown_again = other.request.method == "POST" and other.status == 200
        return (other.user != exchange.user, other.status >= 400, shown_again, changed, place)

    places = [place for place, other in enumerate(siblings) if other is not exchange]
    if not places:
        return None
    best = siblings[min(places, key=order)]
    # A success needs no foil that failed: what is special then is the failure.
    refused = exchange.status < 400 and (best.status >= 400 or is_failure(best, exchange))
    return None if refused else best


def _value(slots: Mapping[Slot, object], slot: Slot) -> object:
    return slots.get(slot, _ABSENT)


def _without_sibling(exchange: Exchange) -> Condition:
    if exchange.status >= 500:
        return _first_trait(exchange)
    if exchange.status not in (400, 415, 422):
        return Condition()
    inputs = [slot for slot in slots_of(exchange.request) if slot[0] != "path"]
    if not inputs:
        if exchange.request.method in ("GET", "DELETE", "HEAD"):
            return Condition("without_parameters", "missing")
        return Condition("without_data", "missing")
    if len(inputs) == 1:
        name = words(inputs[0][1]) or "value"
        trait = value_trait(slots_of(exchange.request)[inputs[0]]) or "invalid"
        return Condition(f"{trait}_{name}", "invalid")
    return Condition("invalid_data", "invalid")


def _first_trait(exchange: Exchange) -> Condition:
    """Return the first value of a failing request that stands out."""
    for (_, name), value in slots_of(exchange.request).items():
        trait = value_trait(value)
        if trait and words(name):
            return Condition(f"{trait}_{words(name)}", "invalid")
    return Condition()


def _of_changes(
    changed: Sequence[Slot],
    mine: Mapping[Slot, object],
    theirs: Mapping[Slot, object],
    failed: bool,
) -> Condition:
    missing = [slot for slot in changed if slot not in mine]
    if missing and failed:
        return _missing(missing, mine)
    if len(changed) == 1:
        return _one_change(changed[0], mine, theirs, failed)
    if not failed:
        return _several_additions(changed, mine, theirs)
    described = [_one_change(slot, mine, theirs, failed) for slot in changed]
    telling = [found for found in described if not found.phrase.startswith("invalid_")]
    if len(telling) == 1:
        return telling[0]
    if len(changed) == 2:
        first, second = (words(name) for _, name in changed)
        return Condition(f"invalid_{first}_and_{second}", "invalid")
    return Condition("invalid_data", "invalid")


def _missing(missing: Sequence[Slot], mine: Mapping[Slot, object]) -> Condition:
    body = [slot for slot in mine if slot[0] in ("form", "json", "text", "file", "query")]
    if len(missing) > 1 and not body:
        return Condition("without_data", "missing")
    names = [words(name) for _, name in missing]
    if len(names) > 2:
        return Condition("missing_fields", "missing")
    return Condition("missing_" + "_and_".join(names), "missing")


def _several_additions(
    changed: Sequence[Slot], mine: Mapping[Slot, object], theirs: Mapping[Slot, object]
) -> Condition:
    added = [words(name) for slot in changed for _, name in [slot] if slot not in theirs]
    if added and len(added) <= 2 and all(slot in mine for slot in changed):
        return Condition("with_" + "_and_".join(added), "with")
    return Condition()


def _one_change(
    slot: Slot, mine: Mapping[Slot, object], theirs: Mapping[Slot, object], failed: bool
) -> Condition:
    name = words(slot[1]) or "value"
    if slot not in mine:
        return Condition(f"without_{name}", "missing")
    value = mine[slot]
    trait = value_trait(value, theirs.get(slot))
    if trait:
        return Condition(f"{trait}_{name}", "invalid" if failed else trait)
    if failed:
        return Condition(f"invalid_{name}", "invalid")
    if slot not in theirs:
        return Condition(f"with_{name}", "with")
    shown = "" if slot[0] in ("path", "header") else _shown(value)
    return Condition(f"{name}_{shown}" if shown else "", "value")


def value_trait(value: object, usual: object = None) -> str:
    """Return an adjective for a value that stands out, or an empty string."""
    if isinstance(value, (str, bytes, list, dict)) and not value:
        return "empty"
    if value is None:
        return "null"
    if isinstance(value, str):
        number = _as_number(value)
        if value.isspace():
            return "blank"
        if len(value) > LONG_TEXT and number is None:
            return "long"
        value = value if number is None else number
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number_trait(value, usual)
    return ""


def _number_trait(value: float, usual: object) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return "special"
    if abs(value) > HUGE_NUMBER:
        return "huge"
    usual_number = _as_number(str(usual)) if usual is not None else None
    if value < 0 and (usual_number is None or usual_number >= 0):
        return "negative"
    if value == 0 and usual_number != 0:
        return "zero"
    return ""


def _as_number(text: str) -> float | None:
    if len(text) > 40:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _shown(value: object) -> str:
    """Return a short value as part of a name, or an empty string."""
    text = words(str(value)) if not isinstance(value, (dict, list, bytes)) else ""
    return text if 0 < len(text) <= 12 and str(value).isascii() else ""
