"""Describes what is wrong with a whole body: ``empty_json``, ``text_instead_of_json``."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.proven_conditions import Condition

EMPTY_JSON = Condition("empty_json", "missing", says_what=False)
WITHOUT_JSON = Condition("without_json", "missing", says_what=False)


def body_that_is_empty(request: Request, foil: Request) -> Condition | None:
    """Return which of two requests without inputs has no body, and which an empty one."""
    if operation_of(request.template) or request.has_json == foil.has_json:
        return None
    return EMPTY_JSON if request.has_json else WITHOUT_JSON


def json_of_odd_kind(request: Request, served: Iterable[Request]) -> Condition | None:
    """Return ``json_list`` for a body that is no object, where no `served` body is of that kind."""
    if not request.has_json or isinstance(request.json, dict):
        return None
    sent = [one.json for one in served if one.has_json and not isinstance(one.json, dict)]
    is_usual = _kind_of(request.json) in map(_kind_of, sent)
    return None if is_usual else body_condition(request, None)


def body_condition(request: Request, foil: Request | None) -> Condition | None:
    """Return what is wrong with a whole body, None when its fields are the reason."""
    if operation_of(request.template):
        return None
    if request.has_json and not isinstance(request.json, dict):
        return Condition(f"json_{_kind_of(request.json)}", "invalid", says_what=False)
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
    noun = {"text": "body", "form": "data"}.get(place, place)
    return Condition(f"without_{noun}", "missing", says_what=place == "file")


def body_of_another_kind(request: Request, foil: Request) -> Condition | None:
    """Return ``text_instead_of_json`` where JSON succeeds, but no part of it was sent."""
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
