"""Says in a word or two what is special about a request: ``empty_title``, ``unknown_id``.

What is special shows against the siblings: the other calls of the same endpoint, especially
one that was served with almost the same inputs.  Three kinds of evidence decide which input
is at fault when something is refused:

    difference    it differs from the nearest call that was served
    exoneration   no call with that very value (or absence) was served
    mention       the answer names it: "Title is required."
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import inner_difference
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.inputs import options_of
from pytest_evosearch.write.content.inputs import owner_of
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.messages import answer_text
from pytest_evosearch.write.content.traits import value_trait
from pytest_evosearch.write.naming.blame import blamed_input
from pytest_evosearch.write.naming.blame import names_input
from pytest_evosearch.write.naming.conflicts import CONFLICT
from pytest_evosearch.write.naming.conflicts import TAKEN
from pytest_evosearch.write.naming.conflicts import taken_inputs
from pytest_evosearch.write.naming.decisive_inputs import decisive
from pytest_evosearch.write.naming.refused_credentials import STRANGER
from pytest_evosearch.write.naming.refused_credentials import WRONG_CREDENTIALS
from pytest_evosearch.write.naming.refused_credentials import credentials_of
from pytest_evosearch.write.naming.refused_credentials import is_known
from pytest_evosearch.write.naming.refused_credentials import made_by_another
from pytest_evosearch.write.naming.refused_credentials import refused_credentials

PASSWORD = "password"
"""What the names of secret inputs hold."""

_ABSENT = object()


@dataclass(frozen=True)
class Condition:
    """What is special about a request; an empty `phrase` is the plain case."""

    phrase: str = ""
    category: str = ""
    """What several conditions have in common: ``missing``, ``invalid``, ``unknown``."""


EMPTY_JSON = Condition("empty_json", "missing")


def input_phrases(request: Request) -> Iterator[str]:
    """Yield what is sent, one input after another: it tells apart what is otherwise alike.

    ``with_if_none_match`` for what may be left out, ``n_10241`` for short values, ``with_book`` and
    ``pages_301`` for a row that the test puts into a table.
    """
    for row in reversed(request.rows):
        yield f"with_{snake_case(row.model.rpartition('.')[2])}"
        for attribute, held in row.values.items():
            if shown := _shown(held):
                yield f"{snake_case(attribute)}_{shown}"
    slots = slots_of(request)
    keys = {
        snake_case(name) for _, name in credentials_of(request)
    }  # who is served sends them anyway
    for name in options_of(request):
        if name not in keys:
            yield f"with_{name}"
    for (place, name), value in slots.items():
        shown = "" if place == "header" or value == LINKED else _shown(value)
        if shown and snake_case(name):
            yield f"{snake_case(name)}_{shown}"


def describe_condition(
    exchange: Exchange,
    siblings: Sequence[Exchange],
    is_fault: bool = False,
    earlier: Sequence[Exchange] = (),
    decided: str = "",
) -> Condition:
    """Return what is special about `exchange` among its `siblings` (same endpoint).

    `earlier` are the calls before it in the same test; `decided` is the source of the conditions
    that only this test brings to a side.
    """
    if exchange.status >= 400 and turns_away(exchange):
        return _forbidden(exchange, siblings)
    taken = "" if is_fault else taken_inputs(exchange, earlier)
    if taken:
        return Condition(f"{TAKEN}_{taken}", TAKEN)
    if exchange.status == 404 and not is_fault and made_by_another(exchange, earlier):
        return Condition(f"somebody_elses_{resource_of(exchange.request.template)}", "forbidden")
    found = _described(exchange, siblings, is_fault, decided)
    is_conflict = exchange.status == CONFLICT and found.phrase.startswith(("invalid_", "missing_"))
    # It is refused because of what is there, not because of what is sent or left out.
    return Condition() if is_conflict else found


def _described(
    exchange: Exchange, siblings: Sequence[Exchange], is_fault: bool, decided: str
) -> Condition:
    if is_fault:
        return _of_fault(exchange, siblings)
    foil = nearest_sibling(exchange, siblings)
    if foil is None or foil.status >= 400:
        return _without_sibling(exchange, siblings)
    mine, theirs = slots_of(exchange.request), slots_of(foil.request)
    changed = _changed(mine, theirs)
    if not changed:
        return _with_the_same(exchange, siblings, foil)
    if not is_failure(exchange, foil):
        if not [slot for slot in mine if slot[0] != "path"]:
            return Condition()  # a plain request that succeeds: there is nothing to tell
        return _of_success(decisive(changed, decided), mine, theirs)
    served = [other for other in siblings if other.status < 400 and not is_failure(other, foil)]
    suspects = decisive(_suspects(exchange, changed, served), decided)
    return _of_failure(exchange, foil, suspects, False)


def _changed(mine: Mapping[Slot, object], theirs: Mapping[Slot, object]) -> list[Slot]:
    return [slot for slot in {**theirs, **mine} if _value(mine, slot) != _value(theirs, slot)]


def _with_the_same(exchange: Exchange, siblings: Sequence[Exchange], foil: Exchange) -> Condition:
    """Say what is special about a call with the same inputs as its foil."""
    rows = _row_difference(exchange.request, foil.request)
    if rows:
        return Condition(rows, "with")
    if exchange.status == 404:  # served when something had been prepared: without that, unknown
        return _without_sibling(exchange, siblings)
    if exchange.status < 400:
        return Condition()
    return _body_that_is_empty(exchange.request, foil.request) or Condition()


def _row_difference(request: Request, foil: Request) -> str:
    """Say which rows a test puts into tables that its foil does not, or with which value.

    ``with_user``, ``without_user``, ``role_guest``; nothing where the rows do not differ.
    """
    mine = {row.model: row.values for row in request.rows}
    theirs = {row.model: row.values for row in foil.rows}
    for word, models in (("with", mine.keys() - theirs), ("without", theirs.keys() - mine)):
        if models:
            model = min(models).rpartition(".")[2]
            return f"{word}_{snake_case(model)}"
    for model in sorted(mine):
        for attribute, held in mine[model].items():
            if held != theirs[model].get(attribute) and (shown := _shown(held)):
                return f"{snake_case(attribute)}_{shown}"
    return ""


def _body_that_is_empty(request: Request, foil: Request) -> Condition | None:
    """Say which of two requests without any inputs has no body, and which an empty one."""
    if operation_of(request.template) or request.has_json == foil.has_json:
        return None
    return EMPTY_JSON if request.has_json else Condition("without_json", "missing")


def _of_fault(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Say what makes a call fail: what its crash names, or what others that did not fail lack.

    What differs from a call that was refused only shows how this one got further.
    """
    blame = blamed_input(exchange, siblings)
    if blame is not None:
        return Condition(f"{blame.adjective}_{blame.name}", blame.adjective)
    foil = _survivor(exchange, siblings)
    if foil is None:
        return _without_sibling(exchange, siblings)
    found = _against(exchange, foil, siblings)
    if not _is_refused(foil) or not found.phrase.startswith("invalid_"):
        return found
    served = _survivor(exchange, [other for other in siblings if not _is_refused(other)])
    if served is not None:
        return _against(exchange, served, siblings)
    mine = slots_of(exchange.request)
    suspects = _changed(mine, slots_of(foil.request))
    named = [slot for slot in mine if names_input(exchange, slot[1])]
    is_clear = bool(named) and all(slot in suspects for slot in named)
    return _of_failure(exchange, foil, named, True) if is_clear else Condition()


def _against(exchange: Exchange, foil: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Say in what a call that failed differs from one that did not."""
    changed = _changed(slots_of(exchange.request), slots_of(foil.request))
    if not changed:
        return _body_that_is_empty(exchange.request, foil.request) or Condition()
    served = [other for other in siblings if other.status < 400 and not is_failure(other, foil)]
    return _of_failure(exchange, foil, _suspects(exchange, changed, served), True)


def _is_refused(exchange: Exchange) -> bool:
    return exchange.status >= 400 or _may_show_form_again(exchange)


def _forbidden(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Say what is wrong with who asks: credentials, a password, or whose thing it is."""
    credentials = refused_credentials(exchange, siblings)
    if credentials:
        return Condition(credentials, STRANGER)
    allowed = [other for other in siblings if other.status < 400 and other.user == exchange.user]
    foil = nearest_sibling(exchange, allowed)
    if foil is None:
        return Condition()
    mine, theirs = slots_of(exchange.request), slots_of(foil.request)
    changed = _changed(mine, theirs)
    rows = _row_difference(exchange.request, foil.request)
    if rows and not changed:
        return Condition(rows, "with")
    if is_known(exchange) and exchange.request.path:
        elsewhere = any(slot[0] == "path" for slot in changed)
        if exchange.user is not None or elsewhere:
            owner = owner_of(exchange.request, list(exchange.request.path)[-1])
            return Condition(f"forbidden_{owner}", "forbidden")
    body = [slot for slot in _suspects(exchange, changed, allowed) if slot[0] in BODY]
    secret = any(PASSWORD in snake_case(name) for _, name in {**mine, **theirs})
    return _wrong_body(exchange, body, theirs) if secret or is_known(exchange) else Condition()


def _wrong_body(
    exchange: Exchange, body: Sequence[Slot], theirs: Mapping[Slot, object]
) -> Condition:
    """Say which part of a body does not let its caller in."""
    mine = slots_of(exchange.request)
    missing = [slot for slot in body if slot not in mine]
    present = [slot for slot in body if slot in mine]
    if not present:
        return _missing(missing) if missing else Condition()
    secret = any(PASSWORD in snake_case(name) for _, name in present)
    if len(present) > 1:
        return Condition(WRONG_CREDENTIALS, "invalid") if secret else Condition()
    if not secret and not is_known(exchange):  # no user of that name may come in
        return Condition(f"unknown_{snake_case(present[0][1])}", "unknown")
    return _one_culprit(exchange, present[0], mine, theirs)


def is_failure(exchange: Exchange, sibling: Exchange) -> bool:
    """Say whether `exchange` was refused where `sibling` was served.

    A form that is shown again (200) where the sibling is redirected counts as refused.
    """
    if exchange.status >= 400:
        return True
    return _may_show_form_again(exchange) and 300 <= sibling.status < 400


def _may_show_form_again(exchange: Exchange) -> bool:
    """Say whether what was posted is answered by a page with a form: no table, no feed."""
    response = exchange.response
    if response is None or exchange.request.method != "POST" or response.status != 200:
        return False
    return response.has_form


def _differences(one: Exchange, other: Exchange) -> int:
    mine, theirs = slots_of(one.request), slots_of(other.request)
    return sum(_value(mine, slot) != _value(theirs, slot) for slot in {**mine, **theirs})


def nearest_sibling(exchange: Exchange, siblings: Sequence[Exchange]) -> Exchange | None:
    """Return the best foil: a success by the same user with the fewest differences."""

    def order(place: int) -> tuple[bool, bool, bool, int, int]:
        other = siblings[place]
        shown_again = other.request.method == "POST" and other.status == 200
        changed = _differences(exchange, other)
        return (other.user != exchange.user, other.status >= 400, shown_again, changed, place)

    places = [place for place, other in enumerate(siblings) if other is not exchange]
    if not places:
        return None
    best = siblings[min(places, key=order)]
    # A success needs no foil that failed: what is special then is the failure.
    refused = exchange.status < 400 and (best.status >= 400 or is_failure(best, exchange))
    return None if refused else best


def _survivor(exchange: Exchange, siblings: Sequence[Exchange]) -> Exchange | None:
    """Return the most similar call that did not fail: a refusal will do, it got less far."""
    survivors = [other for other in siblings if other.status < 500 and other.crash is None]
    if not survivors:
        return None
    return min(
        survivors,
        key=lambda other: (
            _differences(exchange, other),
            other.user != exchange.user,
            other.status >= 400,
        ),
    )


def _suspects(
    exchange: Exchange, changed: Sequence[Slot], served: Sequence[Exchange]
) -> list[Slot]:
    """Return the inputs that may be at fault: those that no served call had, or that are named."""
    mine = slots_of(exchange.request)
    harmless = [slots_of(other.request) for other in served if other is not exchange]
    guilty = [
        slot
        for slot in changed
        if not any(_value(mine, slot) == _value(other, slot) for other in harmless)
    ] or list(changed)
    text = answer_text(exchange)
    return [slot for slot in guilty if mentions(text, slot[1])] or guilty


def _value(slots: Mapping[Slot, object], slot: Slot) -> object:
    return slots.get(slot, _ABSENT)


def _without_sibling(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    slots = slots_of(exchange.request)
    if exchange.status >= 500:
        return _first_trait(slots)
    if exchange.status == 404:
        named = [slot for slot in slots if slot[0] == "path"]
        identifying = [slot for slot in named if identifies(slot[1])] or named
        return _unknown(exchange, identifying[-1]) if identifying else Condition()
    if exchange.status not in (400, 409, 415, 422):
        return Condition()
    body = _body_condition(exchange.request, None)
    if body is not None:
        return body
    answered_otherwise = [other for other in siblings if other.status != exchange.status]
    for other in answered_otherwise:
        body = _body_of_another_kind(exchange.request, other.request)
        if body is not None:
            return body
    further = [slots_of(other.request) for other in answered_otherwise]
    inputs = [
        slot
        for slot, value in slots.items()
        if slot[0] != "path"
        and value != LINKED
        and not any(_value(other, slot) == value for other in further)
    ]
    if not inputs:
        if operation_of(exchange.request.template):
            return Condition()
        if exchange.request.method in ("GET", "DELETE", "HEAD"):
            paths = [slot for slot in slots if slot[0] == "path"]
            return _one_culprit(exchange, paths[0], slots, {}) if len(paths) == 1 else Condition()
        said = exchange.response.text if exchange.response is not None else ""
        return Condition(f"without_{'json' if mentions(said, 'json') else 'data'}", "missing")
    if len(inputs) == 1:
        is_credential = inputs[0] in credentials_of(exchange.request)  # however long a token is
        trait = "" if is_credential else value_trait(slots[inputs[0]])
        trait = trait or "invalid"
        return Condition(f"{trait}_{snake_case(inputs[0][1]) or 'value'}", "invalid")
    return Condition("invalid_data", "invalid")


def _first_trait(slots: Mapping[Slot, object]) -> Condition:
    """Return the first value of a failing request that stands out."""
    for (_, name), value in slots.items():
        trait = value_trait(value)
        if identifies(name) and trait in ("zero", "negative"):
            trait = "unknown"
        if trait and snake_case(name):
            return Condition(f"{trait}_{snake_case(name)}", "invalid")
    return Condition()


def _body_condition(request: Request, foil: Request | None) -> Condition | None:
    """Return what is wrong with a body as a whole, None when it is its fields that count."""
    if operation_of(request.template):
        return None
    if request.has_json and not isinstance(request.json, dict):
        return Condition(f"json_{_kind_of(request.json)}", "invalid")
    if request.has_json and not request.json:
        return EMPTY_JSON
    sent = {place for place, _ in slots_of(request)}.intersection(BODY)
    usual = slots_of(foil) if foil is not None else {}
    missing = [slot for slot in usual if slot[0] in BODY]
    if sent or not missing:
        return None
    place = missing[0][0]
    if place == "form" and len(missing) == 1:
        return Condition(f"missing_{snake_case(missing[0][1]) or 'value'}", "missing")
    nouns = {"json": "json", "text": "body", "file": "file", "form": "data"}
    return Condition(f"without_{nouns[place]}", "missing")


def _body_of_another_kind(request: Request, foil: Request) -> Condition | None:
    """Return ``text_instead_of_json`` where JSON is served, and nothing of it was sent."""
    sent = [place for place in BODY if place in {place for place, _ in slots_of(request)}]
    if not sent or request.has_json or not foil.has_json:
        return None
    return Condition(f"{sent[-1]}_instead_of_json", "invalid")


def _kind_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, (list, tuple)) else "scalar"


def _of_failure(
    exchange: Exchange, foil: Exchange, suspects: Sequence[Slot], is_fault: bool
) -> Condition:
    mine, theirs = slots_of(exchange.request), slots_of(foil.request)
    if exchange.status == 404:
        unknown = [slot for slot in suspects if slot in mine and identifies(slot[1])]
        strict = [slot for slot in unknown if IDENTIFIER.is_meant_by(slot[1], Certainty.LIKELY)]
        options = [slot for slot in suspects if slot in mine and slot[0] == "query"]
        if unknown:
            return _unknown(exchange, (strict or options or unknown)[0])
    elif not is_fault and not [slot for slot in {**mine, **theirs} if slot[0] in BODY]:
        empty = _body_that_is_empty(exchange.request, foil.request)
        if empty is not None:
            return empty
    if any(slot[0] in BODY for slot in suspects):
        body = _body_condition(exchange.request, foil.request)
        body = body or _body_of_another_kind(exchange.request, foil.request)
        is_one_field = body == EMPTY_JSON and len(suspects) == 1
        if body is not None and not is_one_field:
            return body
    missing = [slot for slot in suspects if slot not in mine]
    present = [slot for slot in suspects if slot in mine]
    optional = is_fault or all(slot[0] in ("query", "header", "cookie") for slot in missing)
    if missing and not (present and optional):
        return _missing(missing)
    return _culprits(exchange, present or suspects, mine, theirs)


def _culprits(
    exchange: Exchange,
    suspects: Sequence[Slot],
    mine: Mapping[Slot, object],
    theirs: Mapping[Slot, object],
) -> Condition:
    described = [_one_culprit(exchange, slot, mine, theirs) for slot in suspects]
    if len(described) == 1:
        return described[0]
    telling = [found for found in described if not found.phrase.startswith("invalid_")]
    if len(telling) == 1:
        return telling[0]
    if len(suspects) == 2:
        first, second = (snake_case(name) for _, name in suspects)
        return Condition(f"invalid_{first}_and_{second}", "invalid")
    return Condition("invalid_data", "invalid")


def _one_culprit(
    exchange: Exchange, slot: Slot, mine: Mapping[Slot, object], theirs: Mapping[Slot, object]
) -> Condition:
    name = snake_case(slot[1]) or "value"
    if slot not in mine:
        return Condition(f"without_{name}", "missing")
    trait = value_trait(mine[slot], theirs.get(slot))
    inner = inner_difference(mine[slot], theirs[slot]) if slot in theirs and not trait else None
    if inner is not None:
        return _inner_culprit(exchange, *inner)
    if slot[0] == "path" and owner_of(exchange.request, slot[1]) == "id":
        name = "id"
    if not trait:
        trait = "wrong" if PASSWORD in name and not _sets_password(exchange) else "invalid"
    return Condition(f"{trait}_{name}", "invalid")


def _inner_culprit(exchange: Exchange, name: str, value: object, usual: object) -> Condition:
    """Say what is wrong with a value inside of an input: ``unknown_product``."""
    trait = value_trait(value, usual)
    is_id = IDENTIFIER.is_meant_by(name, Certainty.LIKELY)
    if is_id and not trait and type(value) is type(usual):
        return Condition(f"unknown_{owner_of(exchange.request, name)}", "unknown")
    return Condition(f"{trait or 'invalid'}_{snake_case(name)}", "invalid")


def _sets_password(exchange: Exchange) -> bool:
    """Say whether a password is chosen here, which cannot be a wrong one."""
    last = snake_case(exchange.request.template.rstrip("/").rpartition("/")[2])
    return last.replace("_", "") in (*REGISTER.words(), "users", "accounts")


def _unknown(exchange: Exchange, slot: Slot) -> Condition:
    return Condition(f"unknown_{owner_of(exchange.request, slot[1])}", "unknown")


def _missing(missing: Sequence[Slot]) -> Condition:
    names = [snake_case(name) or "value" for _, name in missing]
    if len(names) > 2:
        return Condition("missing_fields", "missing")
    return Condition("missing_" + "_and_".join(names), "missing")


def _of_success(
    changed: Sequence[Slot], mine: Mapping[Slot, object], theirs: Mapping[Slot, object]
) -> Condition:
    if len(changed) == 1:
        return _one_difference(changed[0], mine, theirs)
    added = [snake_case(name) for slot in changed for _, name in [slot] if slot not in theirs]
    if added and len(added) <= 2 and all(slot in mine for slot in changed):
        return Condition("with_" + "_and_".join(added), "with")
    return Condition()


def _one_difference(
    slot: Slot, mine: Mapping[Slot, object], theirs: Mapping[Slot, object]
) -> Condition:
    name = snake_case(slot[1]) or "value"
    if slot not in mine:  # what may be left out makes nothing special, unless two are the same
        return Condition(f"without_{name}", "plain")
    if slot not in theirs:
        return Condition(f"with_{name}", "with")
    value = mine[slot]
    trait = value_trait(value, theirs.get(slot))
    if trait:
        return Condition(f"{trait}_{name}", trait)
    shown = "" if slot[0] in ("path", "header") else _shown(value)
    return Condition(f"{name}_{shown}" if shown else "", "value")


def _shown(value: object) -> str:
    """Return a short value as part of a name, or an empty string."""
    text = snake_case(str(value)) if not isinstance(value, (dict, list, bytes)) else ""
    return text if 0 < len(text) <= 12 and str(value).isascii() else ""
