from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.naming.condition_choice import describe_condition

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


@pytest.mark.parametrize(
    ("form", "told", "phrase"),
    [
        ({"name": "ann"}, "Name is already in use.", "taken_name"),
        ({"email": "a@b.c"}, "Email is already in use.", "taken_email"),
        ({"name": "bob"}, "Name is already in use.", "invalid_name"),
        ({"name": "ann"}, "The name is too short.", "missing_email"),
    ],
)
def test_a_form_that_is_shown_again_says_what_is_taken(
    form: dict[str, object], told: str, phrase: str
) -> None:
    sign_up = Request("POST", "/sign-up", form=(("name", "ann"), ("email", "a@b.c")))
    created = Exchange(sign_up, Response(302, (("Location", "/"),)))
    page = f"<p class=flash>{told}</p><form method=post><input name=name></form>Registered already?"
    response = Response(200, (("Content-Type", "text/html"),), page.encode())
    refused = Exchange(replace(sign_up, form=tuple(form.items())), response)
    other = Exchange(replace(sign_up, form=(("name", "z"), ("email", "y"))), created.response)

    found = describe_condition(refused, [other, created, refused], False, (created,))

    assert found.phrase == phrase
