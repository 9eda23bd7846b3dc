from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.write.conditions import describe_condition

USERS = Request("POST", "/users", json={"name": "ann", "email": "a@b.c"}, has_json=True)
TEXT = (("Content-Type", "text/plain"),)


def phrase_of(
    body: dict[str, object], status: int, text: str, *before: Exchange, request: Request = USERS
) -> str:
    refused = Exchange(replace(request, json=body), Response(status, TEXT, text.encode()))
    served = Exchange(replace(USERS, json={"name": "z", "email": "z@b.c"}), Response(201))
    return describe_condition(refused, [served, *before, refused], False, before).phrase


CREATED = Exchange(USERS, Response(201))
OTHER = {"name": "bob", "email": "a@b.c"}


@pytest.mark.parametrize(
    ("body", "status", "text", "phrase"),
    [
        (OTHER, 409, "conflict", "taken_email"),
        (OTHER, 400, "that address exists", "taken_email"),
        (USERS.json, 400, "this name is already in use", "taken_name"),
        (USERS.json, 409, "conflict", "taken_name_and_email"),
        (OTHER, 400, "no such address", "invalid_name"),
    ],
)
def test_what_an_earlier_call_stored_is_taken(
    body: dict[str, object], status: int, text: str, phrase: str
) -> None:
    assert phrase_of(body, status, text, CREATED) == phrase


def test_what_an_earlier_call_was_refused_with_is_not_taken() -> None:
    refused = Exchange(USERS, Response(400))

    assert phrase_of(OTHER, 409, "conflict", refused) == ""


def test_what_another_endpoint_stored_is_taken_only_if_the_answer_says_so() -> None:
    invited = Exchange(replace(USERS, template="/invitations"), Response(201))

    assert phrase_of(OTHER, 409, "too many", invited) == ""
    assert phrase_of(OTHER, 409, "it is taken", invited) == "taken_email"


def test_what_an_answer_calls_taken_needs_no_earlier_call() -> None:
    assert phrase_of(OTHER, 422, "The name has already been taken.") == "taken_name"


@pytest.mark.parametrize("body", [{"name": "bob"}, {"name": "bob", "email": "x"}])
def test_what_conflicts_with_the_state_is_neither_missing_nor_invalid(
    body: dict[str, object],
) -> None:
    assert phrase_of(body, 409, "we are closed") == ""
