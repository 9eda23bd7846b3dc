"""Only what repairs have proven is said to be special about a request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import BEFORE
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import STORED
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import common_condition
from pytest_evosearch.write.naming.proven_conditions import condition_of

POST = Request("POST", "/api/users", json={"name": "ann", "age": 3}, has_json=True)
GET = Request("GET", "/books/{book_id}", path={"book_id": 9})
FAULT = Fault("crash", "", "ValueError", "a.py:1", "m", 0, "t")


def phrase(status: int, *causes: Cause, request: Request = POST, crashes: bool = False) -> str:
    fault = FAULT if crashes else None
    specimen = Specimen((Exchange(request, Response(status)),), causes=causes, fault=fault)
    return condition_of(specimen).phrase


@pytest.mark.parametrize(
    ("cause", "refused", "crashed", "accepted"),
    [
        (Cause("json", "age", NOT_SENT, 3), "missing_age", "missing_age", "without_age"),
        (Cause("json", "name", "", "ann"), "empty_name", "empty_name", "empty_name"),
        (Cause("json", "name", {}, "ann"), "object_name", "object_name", "object_name"),
        (Cause("json", "name", ["a"], "ann"), "list_name", "list_name", "list_name"),
        (Cause("json", "age", -3, 3), "negative_age", "negative_age", "negative_age"),
        (Cause("json", "name", "x", "ann"), "invalid_name", "with_name_x", "with_name_x"),
        (Cause("json", "admin", True), "invalid_admin", "with_admin", "with_admin"),
        (Cause("json", "items", [{"n": 9}], [{"n": 1}]), "invalid_n", "with_n_9", "with_n_9"),
    ],
)
def test_only_a_refusal_says_that_an_input_is_invalid(
    cause: Cause, refused: str, crashed: str, accepted: str
) -> None:
    assert phrase(400, cause) == refused
    assert phrase(500, cause, crashes=True) == crashed
    assert phrase(201, cause) == accepted


def test_a_user_whose_client_may_send_a_header_is_not_said_to_lack_it() -> None:
    cause = Cause("header", "Authentication-Token", NOT_SENT, "a")
    for user, expected in ((None, "without_authentication_token"), ("mira", "")):
        act = Exchange(Request("POST", "/logout"), Response(200), user)
        assert condition_of(Specimen((act,), causes=(cause,))).phrase == expected


def test_without_a_proof_nothing_is_special() -> None:
    assert phrase(400) == ""
    assert phrase(500, crashes=True) == ""


@pytest.mark.parametrize(
    ("said", "told"), [("'XYZ'", "unknown_currency"), ("XYZ", "unknown_currency"), ("no", "with")]
)
def test_a_value_is_unknown_where_the_exception_says_it_and_nothing_else(
    said: str, told: str
) -> None:
    crash = Crash("KeyError", "builtins", said, "a.py", 1, "convert", "")
    act = Exchange(POST, Response(500), crash=crash)
    causes = (Cause("json", "currency", "xyz", NOT_SENT),)

    assert condition_of(Specimen((act,), causes=causes, fault=FAULT)).phrase.startswith(told)


def test_two_parts_are_named_together_or_not_at_all() -> None:
    name, age = (Cause("json", one, NOT_SENT, 3) for one in ("name", "age"))
    assert phrase(400, name, age) == "missing_name_and_age"
    assert phrase(400, name, Cause("json", "age", -3, 3)) == ""


def test_what_is_not_found_is_unknown_and_what_is_stored_is_taken() -> None:
    by_path, inside = Cause("path", "book_id", 9, 1), Cause("json", "user_id", 9, 1)
    assert phrase(404, by_path, request=GET) == "unknown_id"
    assert phrase(404, inside) == "unknown_user"
    assert phrase(404, Cause(BEFORE), request=GET) == "unknown_id"
    assert phrase(404, Cause(ROW, "shop.BookModel"), request=GET) == "unknown_id"
    assert phrase(404, Cause(ROW, ALL_ROWS), request=GET) == "unknown_id"
    assert phrase(400, Cause(ROW, ALL_ROWS), request=GET) == ""
    name = Cause("json", "name", "ann", "bob")
    refused = Exchange(POST, Response(409))
    again = Specimen((Exchange(POST, Response(201)), refused), causes=(name,))
    assert condition_of(again).phrase == "taken_name"
    signing_up = replace(POST, template="/signup")
    first = Specimen((Exchange(signing_up, Response(201)), refused), causes=(name,))
    assert condition_of(first).phrase == "existing_name"
    assert phrase(404, Cause("json", "name", "ann", LINKED)) == "unknown_name"
    assert phrase(404, Cause("json", "name", ["ann"], LINKED)) == "list_name"
    assert phrase(409, name) == ""


def test_a_caller_who_is_refused_is_named_by_what_was_lacking() -> None:
    key = replace(GET, headers=(("X-Api-Key", "a"),))
    bearer = Cause("header", "authorization", NOT_SENT, "Bearer abc")
    assert phrase(401, Cause(USER, "", None, "ann"), request=GET) == "anonymous"
    assert phrase(401, Cause(BEFORE), request=GET) == "anonymous"
    assert phrase(401, bearer, request=GET) == "without_token"
    assert phrase(403, Cause("header", "x-api-key", "a", "b"), request=key) == "wrong_api_key"


def test_a_page_that_leads_on_whoever_is_logged_in_says_so() -> None:
    logged_in = Exchange(GET, Response(302, (("Location", "/"),)), "ann")
    cause = Cause(USER, "", "ann", None)

    assert condition_of(Specimen((logged_in,), causes=(cause,))).phrase == "when_logged_in"
    refused = replace(logged_in, response=Response(400))
    assert condition_of(Specimen((refused,), causes=(cause,))).phrase == ""


def test_an_item_that_a_caller_may_not_ask_for_is_forbidden() -> None:
    assert phrase(403, Cause("path", "book_id", 9, 1), request=GET) == "forbidden_id"
    assert phrase(403, Cause("path", "user_id", 9, 1), request=GET) == "forbidden_user"


def test_a_header_that_the_environment_holds_is_called_by_its_name() -> None:
    assert phrase(400, Cause("environ", "HTTP_HOST", "a"), request=GET) == "invalid_host"


def test_a_scheme_is_called_by_itself() -> None:
    missing = Cause("environ", "wsgi.url_scheme", NOT_SENT, "https")
    assert phrase(400, missing, request=GET) == "over_http"
    assert phrase(400, Cause("environ", "wsgi.url_scheme", "https"), request=GET) == "over_https"


def test_somebody_elses_item_is_not_unknown() -> None:
    refused = Exchange(GET, Response(404), "bob")
    specimen = Specimen((refused,), causes=(Cause(USER, "", "bob", "ann"),))
    assert condition_of(specimen).phrase == "somebody_elses_book"


def test_a_row_that_a_call_asks_for_is_unknown_whatever_the_status_says() -> None:
    row = Cause(ROW, "shop.User", NOT_SENT, STORED)
    like = Request("GET", "/books/{book_id}/likes/{user_id}", path={"book_id": 1, "user_id": 0})

    assert phrase(404, row, request=GET) == "unknown_id"
    assert phrase(404, row, request=like) == "unknown_user"
    assert phrase(200, row, request=like) == "unknown_user"
    assert phrase(500, row, request=like, crashes=True) == "unknown_user"
    assert phrase(400, row, request=Request("GET", "/books")) == "without_user"
    books = Request("GET", "/users/{user_id}/books", path={"user_id": 1})
    assert phrase(200, row, request=books) == "unknown_user"
    assert phrase(200, replace(row, name="shop.Book"), request=books) == "without_book"
    users = Request("DELETE", "/users/{id}", path={"id": 0})
    assert phrase(204, row, request=users) == "unknown_id"
    by_email = replace(row, asked_by="email")
    assert phrase(200, by_email, request=Request("POST", "/login")) == "unknown_email"


def test_a_number_that_fails_like_any_unknown_one_is_unknown() -> None:
    zero = Cause("path", "book_id", 0, 1)

    assert phrase(500, zero, request=GET, crashes=True) == "zero_id"
    assert phrase(500, replace(zero, is_any=True), request=GET, crashes=True) == "unknown_id"


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (Cause(WHOLE_BODY, "", None, "json"), "without_json"),
        (Cause(WHOLE_BODY, "json", {}), "empty_json"),
        (Cause(WHOLE_BODY, "json list", []), "json_list"),
        (Cause(WHOLE_BODY, "form", {"a": "b"}, "json"), "data_instead_of_json"),
        (Cause(WHOLE_BODY, "form", {"a": "b"}, ""), ""),
        (Cause(ROW, "shop.User"), "without_user"),
        (Cause(ROW, "shop.UserModel"), "without_user"),
        (Cause(ROW, "shop.User", {"role": "a"}, {"role": "b"}), "role_a"),
    ],
)
def test_bodies_and_rows(cause: Cause, expected: str) -> None:
    bare = Request("POST", "/api/users")
    assert phrase(400, cause, request=bare) == expected


@pytest.mark.parametrize(
    ("phrases", "expected"),
    [
        ((("empty_name", "name"), ("long_name", "name")), "invalid_name"),
        ((("empty_name", "name"), ("zero_pages", "pages")), "invalid_field"),
        ((("empty_name", "name"), ("", "")), ""),
        ((("huge_id", "id"), ("huge_order_id", "order_id")), "huge_id"),
    ],
)
def test_rows_of_a_table_share_what_is_true_of_each(
    phrases: tuple[tuple[str, str], ...], expected: str
) -> None:
    conditions = [Condition(text, "invalid" if text else "", part) for text, part in phrases]
    assert common_condition(conditions).phrase == expected


def test_an_object_without_members_and_one_without_a_member_both_lack_a_field() -> None:
    empty, lacking = Cause(WHOLE_BODY, "json", {}, "json"), Cause("json", "price", NOT_SENT, 1)
    conditions = [
        condition_of(
            Specimen((Exchange(Request("POST", "/books"), Response(400)),), causes=(cause,))
        )
        for cause in (empty, lacking)
    ]
    assert common_condition(conditions).phrase == "missing_field"


def test_a_literal_in_place_of_a_token_is_wrong_and_not_long() -> None:
    assert phrase(400, Cause("form", "csrf_token", "a" * 60, LINKED)) == "wrong_csrf_token"
    assert phrase(400, Cause("form", "csrf_token", "", LINKED)) == "empty_csrf_token"


def test_a_stranger_who_is_led_elsewhere_is_named_if_nothing_else_lets_a_user_in() -> None:
    led = Exchange(Request("GET", "/quizzes"), Response(302, (("Location", "/"),)))
    entering = replace(led, request=Request("POST", "/enter", form=(("password", "a"),)))
    user = (Cause(USER, "", None, "inga"),)

    assert condition_of(Specimen((led,), causes=user)).phrase == "anonymous"
    assert condition_of(Specimen((entering,), causes=user)).phrase == ""
    shown = replace(led, response=Response(200))
    assert condition_of(Specimen((shown,), causes=user)).phrase == ""


def test_an_object_in_place_of_another_kind_of_json_is_called_so() -> None:
    assert phrase(400, Cause(WHOLE_BODY, "json", {"a": 1}, "json list")) == "json_object"
