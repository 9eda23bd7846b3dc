from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.condition_choice import describe_condition
from pytest_evosearch.write.naming.name_choice import choose_name
from pytest_evosearch.write.naming.stories import siblings_of
from pytest_evosearch.write.naming.suite_plan import plan_suite

ME = Request("GET", "/me")
LOG_IN = Request("POST", "/sessions", json={"email": "a", "password": "b"}, has_json=True)
TOKEN = {("header", "Authorization"): Origin(0, ("json", "token"), "Bearer ")}
TEXT = (("Content-Type", "text/plain"),)


def bearing(request: Request, value: str = "Bearer xyz") -> Request:
    return replace(request, headers=(("Authorization", value),), origins=TOKEN)


def with_header(request: Request, name: str, value: str) -> Request:
    return replace(request, headers=(("Accept", "*/*"), (name, value)))


def alone(request: Request, status: int, text: bytes = b"") -> Specimen:
    return Specimen((Exchange(request, Response(status, TEXT, text)),))


def name_of(specimen: Specimen, *others: Specimen) -> str:
    siblings = siblings_of([specimen, *others])
    return choose_name(name_candidates(specimen, siblings, {}), set())


@pytest.mark.parametrize(
    ("refused", "served", "phrase"),
    [
        (ME, bearing(ME), "without_token"),
        (ME, bearing(ME, "Basic YTph"), "anonymous"),
        (ME, with_header(ME, "X-Admin-Key", "k"), "without_admin_key"),
        (with_header(ME, "X-Admin-Key", "a"), with_header(ME, "X-Admin-Key", "k"),
         "wrong_admin_key"),
        (with_header(ME, "Authorization", "a"), bearing(ME), "invalid_authorization"),
        (with_header(ME, "Authorization", "Basic YTph"), bearing(ME), "wrong_credentials"),
        (ME, ME, ""),
        (bearing(ME), bearing(ME, "Bearer other"), ""),
        (with_header(ME, "X-Admin-Key", "k"), with_header(ME, "X-Admin-Key", "k"), ""),
    ],
)  # fmt: skip
def test_credentials_that_are_missing_or_wrong(
    refused: Request, served: Request, phrase: str
) -> None:
    failing = Exchange(refused, Response(401))

    found = describe_condition(failing, [failing, Exchange(served, Response(200))])

    assert found.phrase == phrase


@pytest.mark.parametrize(
    ("body", "phrase"),
    [
        ({"email": "a", "password": "c"}, "wrong_password"),
        ({"email": "a"}, "missing_password"),
        ({"email": "c", "password": "c"}, "wrong_credentials"),
        ({"email": "c", "password": "b"}, "unknown_email"),
    ],
)
def test_who_logs_in_has_a_wrong_password(body: dict[str, object], phrase: str) -> None:
    failing = Exchange(replace(LOG_IN, json=body), Response(401))

    found = describe_condition(failing, [failing, Exchange(LOG_IN, Response(201))])

    assert found.phrase == phrase


def test_what_somebody_known_may_not_have_is_forbidden() -> None:
    cart = Request("PUT", "/cart/{product_id}", path={"product_id": 1})
    served = Exchange(bearing(cart), Response(204))
    refused = Exchange(bearing(replace(cart, path={"product_id": 3})), Response(403))

    assert describe_condition(refused, [served, refused]).phrase == "forbidden_product"


def test_what_somebody_unknown_sends_is_not_blamed() -> None:
    notes = Request("POST", "/notes", json={"title": "a"}, has_json=True)
    refused = Exchange(replace(notes, json={"title": "b"}), Response(401))

    found = describe_condition(refused, [Exchange(notes, Response(201)), refused])

    assert found.phrase == ""


def test_a_refusal_that_says_why_is_named_by_its_message() -> None:
    adults = alone(Request("POST", "/orders"), 403, b"for adults only")

    assert name_of(adults) == "test_post_orders_for_adults_only_returns_403"


@pytest.mark.parametrize(
    ("specimen", "name"),
    [
        (alone(ME, 401, b"log in first"), "test_get_me_anonymous_returns_401"),
        (alone(LOG_IN, 401), "test_post_sessions_returns_401"),
        (alone(with_header(ME, "X-Token", "a"), 401), "test_get_me_wrong_token_returns_401"),
    ],
)
def test_who_says_nothing_of_themselves_is_anonymous(specimen: Specimen, name: str) -> None:
    assert name_of(specimen) == name


def test_who_sends_a_password_is_not_anonymous_though_accounts_are_known() -> None:
    specimen = alone(LOG_IN, 401)
    siblings = siblings_of([specimen])

    names = list(name_candidates(specimen, siblings, {"ann": User("ann")}))

    assert names[0] == "test_post_sessions_returns_401"


def test_where_the_same_was_served_nobody_is_a_stranger() -> None:
    refused, served = alone(ME, 401), alone(replace(ME, query=(("a", 1),)), 200)

    assert "anonymous" not in name_of(refused, served)


def test_a_table_of_strangers_says_what_any_of_its_endpoints_was_served_with() -> None:
    refused = [
        alone(Request("GET", path), 401, b"log in first") for path in ("/cart", "/me", "/orders")
    ]

    plan = plan_suite([*refused, alone(bearing(ME), 200)], Surroundings())

    assert "test_get_without_token_returns_401" in [one.name for one in plan.tests]


def test_a_table_of_what_nobody_may_do_without_a_name_is_about_strangers() -> None:
    refused = [alone(Request("DELETE", path), 403, b"Forbidden") for path in ("/lists", "/users")]

    names = [one.name for one in plan_suite(refused, Surroundings()).tests]

    assert names == ["test_delete_anonymous_returns_403"]


def test_strangers_who_are_sent_to_log_in_are_anonymous_though_no_account_is_known() -> None:
    location = (("Location", "/login?next=/a"),)
    refused = [
        Specimen((Exchange(Request("GET", path), Response(302, location)),))
        for path in ("/notes", "/tags", "/logout")
    ]

    plan = plan_suite(refused, Surroundings())

    assert "test_get_anonymous_redirects_to_login" in [one.name for one in plan.tests]


def test_a_token_that_is_refused_is_invalid_however_long_it_is():
    request = Request("GET", "/a", headers=(("Authorization", f"Bearer {'x' * 60}"),))
    refused = Exchange(request, Response(422))
    assert describe_condition(refused, [refused]).phrase == "invalid_authorization"
