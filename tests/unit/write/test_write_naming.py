from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.conditions import describe_condition
from pytest_evosearch.write.conditions import value_trait
from pytest_evosearch.write.naming import LONGEST_NAME
from pytest_evosearch.write.naming import choose_name
from pytest_evosearch.write.naming import name_candidates
from pytest_evosearch.write.naming import siblings_of
from pytest_evosearch.write.resources import collection_of
from pytest_evosearch.write.resources import resource_of
from pytest_evosearch.write.resources import singular
from pytest_evosearch.write.resources import words
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.variables import response_variables

POST = Request("POST", "/api/users", json={"name": "ann", "age": 3}, has_json=True)


def sent(request: Request, status: int, user: str | None = None, **headers: str) -> Exchange:
    return Exchange(request, Response(status, tuple(headers.items())), user)


SERVED = sent(POST, 201)


@pytest.mark.parametrize(
    ("template", "resource", "collection"),
    [
        ("/", "index", ""),
        ("/api/v1/users", "users", "users"),
        ("/api/users/{id}", "user", "users"),
        ("/api/users/{id}/posts", "user_posts", "users"),
        ("/{id}/update", "update", ""),
        ("/auth/login", "auth_login", "auth"),
        ("/api/triangle/{a}/{b}/{c}", "triangle", "triangle"),
        ("/{name}", "name", ""),
        ("/basic-auth/{user}", "basic_auth", "basic_auth"),
        ("/a/b/c/d", "c_d", "a"),
    ],
)
def test_templates_become_words(template: str, resource: str, collection: str) -> None:
    assert resource_of(template) == resource
    assert collection_of(template) == collection


@pytest.mark.parametrize(
    ("plural", "noun"),
    [("users", "user"), ("categories", "category"), ("boxes", "box"), ("status", "status"),
     ("news", "news"), ("address", "address"), ("addresses", "address"), ("gas", "gas")],
)  # fmt: skip
def test_singular(plural: str, noun: str) -> None:
    assert singular(plural) == noun


def test_words_are_snake_case() -> None:
    assert words("userName-X ü") == "user_name_x"


@pytest.mark.parametrize(
    ("value", "trait"),
    [("", "empty"), ("  ", "blank"), (None, "null"), ("x" * 99, "long"), (-1, "negative"),
     (0, "zero"), (2**40, "huge"), (float("nan"), "special"), ("-5", "negative"), (True, ""),
     ("abc", ""), ([], "empty")],
)  # fmt: skip
def test_values_that_stand_out(value: object, trait: str) -> None:
    assert value_trait(value, 5) == trait


@pytest.mark.parametrize(
    ("body", "status", "phrase"),
    [
        ({"name": "ann"}, 400, "missing_age"),
        ({"name": "", "age": 3}, 400, "empty_name"),
        ({"name": "ann", "age": -3}, 400, "negative_age"),
        ({"name": "a", "age": 3}, 400, "invalid_name"),
        ({"name": "a", "age": 4}, 400, "invalid_name_and_age"),
        ({}, 400, "without_data"),
        ({"name": "ann", "age": 3, "admin": True}, 201, "with_admin"),
        ({"name": "bob", "age": 3}, 201, "name_bob"),
    ],
)
def test_conditions_show_against_a_served_sibling(
    body: dict[str, object], status: int, phrase: str
) -> None:
    exchange = sent(replace(POST, json=body), status)

    assert describe_condition(exchange, [SERVED, exchange]).phrase == phrase


def test_unknown_id() -> None:
    exchange = sent(Request("GET", "/users/{user_id}", path={"user_id": 9}), 404)

    assert describe_condition(exchange, [exchange]).phrase == "unknown_user_id"


def name_of(specimen: Specimen, *others: Specimen, users: tuple[str, ...] = ()) -> str:
    siblings = siblings_of([specimen, *others])
    accounts = {name: User(name) for name in users}
    return choose_name(name_candidates(specimen, siblings, accounts), set())


def test_anonymous_redirect_to_login() -> None:
    specimen = Specimen((sent(Request("GET", "/create"), 302, Location="/auth/login?next=/"),))

    name = name_of(specimen, users=("ann",))

    assert name == "test_get_create_anonymous_redirects_to_login"


def test_user_is_named_where_several_differ() -> None:
    get = Request("GET", "/reports")
    admin = Specimen((sent(get, 200, "admin"),))
    guest = Specimen((sent(get, 403, "guest"),))

    assert (
        name_of(guest, admin, users=("admin", "guest")) == "test_get_reports_as_guest_returns_403"
    )


def test_registering_is_not_being_anonymous() -> None:
    specimen = Specimen((sent(Request("POST", "/auth/register"), 302, Location="/auth/login"),))

    assert name_of(specimen, users=("ann",)) == "test_post_auth_register_redirects_to_login"


def test_what_belongs_to_somebody_else_is_forbidden() -> None:
    request = Request("POST", "/posts/{id}", path={"id": 1}, form=(("title", "a"),))
    served = Specimen((sent(request, 302, "ann", Location="/"),))
    refused = Specimen((sent(replace(request, path={"id": 2}, form=()), 403, "ann"),))

    assert name_of(refused, served, users=("ann",)) == "test_post_post_forbidden_id_returns_403"


def test_without_a_success_the_only_input_is_blamed() -> None:
    refused = Specimen((sent(replace(POST, json={"name": ""}), 400),))
    empty = Specimen((sent(replace(POST, json={}), 400),))

    assert name_of(refused, empty) == "test_post_users_empty_name_returns_400"
    assert name_of(empty, refused) == "test_post_users_without_data_returns_400"


def test_fault_does_not_crash() -> None:
    request = Request("GET", "/users/{id}", path={"id": 2**63})
    fault = Fault("crash", request.endpoint, "OverflowError", "a.py:1", "m", 0, "t")
    served = Specimen((sent(replace(request, path={"id": 1}), 200),))

    name = name_of(Specimen((sent(request, 500),), fault=fault), served)

    assert name == "test_get_user_huge_id_does_not_crash"


def test_story_names_both_calls() -> None:
    deleted = sent(Request("DELETE", "/users/{id}", path={"id": 1}), 204)
    gone = sent(Request("GET", "/users/{id}", path={"id": 1}), 404)

    assert name_of(Specimen((deleted, gone))) == "test_delete_user_then_get_user_returns_404"


def test_long_names_are_shortened_not_cut() -> None:
    request = Request("POST", "/organisation_memberships/{membership_id}/administrative_contacts")

    name = name_of(Specimen((sent(replace(request, path={"membership_id": 1}), 404),)))

    assert len(name) <= LONGEST_NAME
    assert name == "test_post_membership_administrative_contacts_returns_404"


def test_ties_are_numbered() -> None:
    assert choose_name(iter(["test_a", "test_b"]), {"test_a", "test_b"}) == "test_a_2"


def test_responses_are_named_by_role() -> None:
    login = sent(Request("POST", "/auth/login"), 302)
    created = sent(POST, 201)
    again = sent(Request("POST", "/posts"), 201)
    listed = Exchange(Request("GET", "/posts"), Response(200, (), b"[]"))
    deleted = sent(Request("DELETE", "/posts/{id}"), 204)
    gone = sent(Request("GET", "/posts/{id}"), 404)

    names = response_variables([login, created, again, listed, deleted, gone])

    assert names == ["logged_in", "created", "created_post", "listed", "deleted", "gone"]
    assert response_variables([created]) == ["response"]
