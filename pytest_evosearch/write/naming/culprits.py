"""Finds the input that makes a request special, and how: ``empty_title``."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.answers.traits import is_odd
from pytest_evosearch.write.answers.traits import value_trait
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import InnerDifference
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import inner_differences
from pytest_evosearch.write.content.inputs import options_of
from pytest_evosearch.write.content.inputs import owner_of
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.comparison import Comparison
from pytest_evosearch.write.naming.proven_conditions import PLAIN
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import Evidence
from pytest_evosearch.write.naming.proven_conditions import invalid
from pytest_evosearch.write.naming.refused_credentials import credentials_of
from pytest_evosearch.write.naming.whole_bodies import EMPTY_JSON
from pytest_evosearch.write.naming.whole_bodies import body_condition
from pytest_evosearch.write.naming.whole_bodies import body_of_another_kind
from pytest_evosearch.write.naming.whole_bodies import body_that_is_empty

PASSWORD = "password"
"""Part of the names of secret inputs."""

LONGEST_SHOWN = 12
"""Most characters of a value in a name."""

_NOT_FOUND = 404


def of_failure(case: Comparison, suspects: Sequence[Slot], is_fault: bool) -> Condition:
    """Return what is wrong with a call that failed while its counterpart succeeded.

    A value from an earlier response counts as right; without another difference, there is no
    condition.
    """
    exchange, foil = case.exchange, case.foil
    assert foil is not None
    suspects = [slot for slot in suspects if case.mine.get(slot) != LINKED]
    if not suspects:
        return PLAIN
    if exchange.status == _NOT_FOUND:
        found = _not_found(case, suspects)
        if found is not None:
            return found
    elif not is_fault and not [slot for slot in {**case.mine, **case.theirs} if slot[0] in BODY]:
        empty = body_that_is_empty(exchange.request, foil.request)
        if empty is not None:
            return empty
    if any(slot[0] in BODY for slot in suspects):
        body = body_condition(exchange.request, foil.request)
        body = body or body_of_another_kind(exchange.request, foil.request)
        is_one_field = body == EMPTY_JSON and len(suspects) == 1
        if body is not None and not is_one_field:
            return body
    lacking = [slot for slot in suspects if slot not in case.mine]
    present = [slot for slot in suspects if slot in case.mine]
    optional = is_fault or all(slot[0] in ("query", "header", "cookie") for slot in lacking)
    if lacking and not (present and optional):
        return missing(case, lacking)
    return _culprits(case, present or suspects)


def _not_found(case: Comparison, suspects: Sequence[Slot]) -> Condition | None:
    """Return the resource that does not exist, even where a body refers to it.

    A value in an address identifies a resource, whatever its name and the code's conditions.
    """
    in_path = [slot for slot in case.guilty if slot[0] == "path"]
    sent = [slot for slot in dict.fromkeys((*in_path, *suspects)) if slot in case.mine]
    unknown = [slot for slot in sent if slot[0] == "path" or identifies(slot[1])]
    strict = [slot for slot in unknown if IDENTIFIER.is_meant_by(slot[1], Certainty.LIKELY)]
    options = [slot for slot in sent if slot[0] == "query"]
    if unknown:
        return unknown_thing(case.exchange.request, (strict or options or unknown)[0][1])
    inner = [
        one
        for slot in suspects
        for one in inner_differences(case.mine.get(slot), case.theirs.get(slot))
        if IDENTIFIER.is_meant_by(one.name, Certainty.LIKELY)
    ]
    return unknown_thing(case.exchange.request, inner[0].name) if inner else None


def _culprits(case: Comparison, suspects: Sequence[Slot]) -> Condition:
    described = [one_culprit(case, slot) for slot in suspects]
    if len(described) == 1:
        return described[0]
    telling = [found for found in described if found.says_what]
    if len(telling) == 1:
        return telling[0]
    odd = [slot for slot in suspects if is_odd(case.mine.get(slot), case.theirs.get(slot))]
    if len(odd) == 1:
        return one_culprit(case, odd[0])
    if all(case.is_valid(slot) for slot in suspects):
        return PLAIN
    if len(suspects) == 2:
        first, second = (snake_case(name) for _, name in suspects)
        return replace(invalid(f"{first}_and_{second}"), shorter="invalid_data")
    return invalid("data")


def one_culprit(case: Comparison, slot: Slot) -> Condition:
    """Return what is wrong with one input, or with a value inside it."""
    name = snake_case(slot[1]) or "value"
    evidence = case.evidence_of(slot[1])
    if slot not in case.mine:
        return Condition(f"without_{name}", "missing", evidence)
    value, usual = case.mine[slot], case.theirs.get(slot)
    trait = value_trait(value, usual)
    inner = _decisive_part(case, inner_differences(value, usual)) if not trait else None
    if inner is not None:
        return _inner_culprit(case, inner, evidence)
    if slot[0] == "path" and owner_of(case.exchange.request, slot[1]) == "id":
        name = "id"
    if trait:
        return Condition(f"{trait}_{name}", "invalid", evidence)
    if PASSWORD in name and not _sets_password(case.exchange):
        return Condition(f"wrong_{name}", "invalid", evidence)
    return PLAIN if case.is_valid(slot) else invalid(name, evidence)


def _decisive_part(case: Comparison, inner: Sequence[InnerDifference]) -> InnerDifference | None:
    """Return the part of a value that caused the difference: the best proven, or the only one.

    Without proof for one of several, return the only unusual one.
    """
    proven = [one for one in inner if case.evidence_of(one.name) >= Evidence.DECIDED]
    if proven:
        return max(proven, key=lambda one: case.evidence_of(one.name))
    if len(inner) == 1:
        return inner[0]
    telling = [one for one in inner if value_trait(one.value, one.usual)]
    return telling[0] if len(telling) == 1 else None


def _inner_culprit(case: Comparison, inner: InnerDifference, evidence: Evidence) -> Condition:
    """Return what is wrong with a value inside an input: ``unknown_product``."""
    trait = value_trait(inner.value, inner.usual)
    is_id = IDENTIFIER.is_meant_by(inner.name, Certainty.LIKELY)
    if is_id and not trait and type(inner.value) is type(inner.usual):
        return replace(unknown_thing(case.exchange.request, inner.name), evidence=evidence)
    name = snake_case(inner.name)
    return Condition(f"{trait}_{name}", "invalid", evidence) if trait else invalid(name, evidence)


def _sets_password(exchange: Exchange) -> bool:
    """Say whether the request sets a password, which cannot be a wrong one."""
    last = snake_case(exchange.request.template.rstrip("/").rpartition("/")[2])
    return last.replace("_", "") in (*REGISTER.words(), "users", "accounts")


def unknown_thing(request: Request, name: str) -> Condition:
    """Return the condition that the identified resource does not exist; the status proves it."""
    return Condition(f"unknown_{owner_of(request, name)}", "unknown", Evidence.NAMED)


def missing(case: Comparison, lacking: Sequence[Slot]) -> Condition:
    """Return the condition for inputs that are not sent."""
    names = [snake_case(name) or "value" for _, name in lacking]
    if len(names) > 2:
        return Condition("missing_fields", "missing", shorter="missing_fields")
    evidence = min(case.evidence_of(name) for _, name in lacking)
    shorter = "missing_fields" if len(names) > 1 else ""
    return Condition("missing_" + "_and_".join(names), "missing", evidence, shorter=shorter)


def of_success(case: Comparison) -> Condition:
    """Return what is special about a successful call."""
    decided = case.decisions.about(case.changed)
    changed = decided if any(slot in case.mine for slot in decided) else case.changed
    if len(changed) == 1:
        return _one_difference(case, changed[0])
    added = [snake_case(slot[1]) for slot in changed if slot not in case.theirs]
    is_all_sent = all(slot in case.mine for slot in changed)
    if added and len(added) <= 2 and (decided or is_all_sent):
        evidence = min(_mattering(case, slot[1]) for slot in changed)
        return Condition("with_" + "_and_".join(added), "with", evidence)
    return PLAIN


def _one_difference(case: Comparison, slot: Slot) -> Condition:
    name = snake_case(slot[1]) or "value"
    if slot not in case.mine:  # an optional input makes nothing special, unless two tests are alike
        return Condition(f"without_{name}", "plain", Evidence.DIFFERS)
    evidence = _mattering(case, slot[1])
    value = case.mine[slot]
    trait = value_trait(value, case.theirs.get(slot))
    if trait:
        return Condition(f"{trait}_{name}", "with", evidence)
    if slot not in case.theirs:
        return Condition(f"with_{name}", "with", evidence)
    text = "" if slot[0] in ("path", "header") else shown(value)
    if evidence < Evidence.DECIDED:  # an ordinary value
        evidence = Evidence.DIFFERS
    return Condition(f"{name}_{text}" if text else "", "value", evidence)


def _mattering(case: Comparison, name: str) -> Evidence:
    """Return how strong the evidence is that an input of a successful call mattered.

    Without a condition that names the input, it only differs between two tests.
    """
    if not case.decisions.are_known:
        return case.evidence_of(name)
    return Evidence.DECIDED if case.decisions.name(name) else Evidence.DIFFERS


def first_trait(slots: Mapping[Slot, object]) -> Condition:
    """Return the first unusual value of a failing request."""
    for (_, name), value in slots.items():
        trait = value_trait(value)
        if identifies(name) and trait in ("zero", "negative"):
            trait = "unknown"
        if trait and snake_case(name):
            return Condition(f"{trait}_{snake_case(name)}", "invalid")
    return PLAIN


def input_phrases(request: Request) -> Iterator[str]:
    """Yield phrases for the inputs, one by one, to distinguish otherwise equal names.

    Examples: ``with_if_none_match`` for an optional input, ``n_10241`` for a short value,
    ``with_book`` and ``pages_301`` for a row that the test stores.
    """
    for row in reversed(request.rows):
        yield f"with_{snake_case(row.model.rpartition('.')[2])}"
        for attribute, held in row.values.items():
            if text := shown(held):
                yield f"{snake_case(attribute)}_{text}"
    slots = slots_of(request)
    keys = {
        snake_case(name) for _, name in credentials_of(request)
    }  # successful callers always send these
    for name in options_of(request):
        if name not in keys:
            yield f"with_{name}"
    for (place, name), value in slots.items():
        text = "" if place == "header" or value == LINKED else shown(value)
        if text and snake_case(name):
            yield f"{snake_case(name)}_{text}"


def row_difference(request: Request, foil: Request) -> str:
    """Return how the rows that a test stores differ from its counterpart's.

    Examples: ``with_user``, ``without_user``, ``role_guest``. It is empty without a difference.
    """
    mine = {row.model: row.values for row in request.rows}
    theirs = {row.model: row.values for row in foil.rows}
    for word, models in (("with", mine.keys() - theirs), ("without", theirs.keys() - mine)):
        if models:
            model = min(models).rpartition(".")[2]
            return f"{word}_{snake_case(model)}"
    for model in sorted(mine):
        for attribute, held in mine[model].items():
            if held != theirs[model].get(attribute) and (text := shown(held)):
                return f"{snake_case(attribute)}_{text}"
    return ""


def shown(value: object) -> str:
    """Return a short value as part of a name, or an empty string."""
    text = snake_case(str(value)) if not isinstance(value, (dict, list, bytes)) else ""
    return text if 0 < len(text) <= LONGEST_SHOWN and str(value).isascii() else ""
