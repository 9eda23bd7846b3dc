from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.write.naming.condition_choice import describe_condition
from pytest_evosearch.write.naming.whole_bodies import json_of_odd_kind

PRODUCT = Request("PUT", "/product/{id}", path={"id": 1}, has_json=True)
SIGN_UP = Request("POST", "/sign-up")


def crashed(request: Request, kind: str, message: str, source: str = "", *missing: str) -> Exchange:
    trace = f'Traceback\n  File "/x/shop.py", line 7, in put\n    {source}\n{kind}: {message}'
    crash = Crash(kind, "builtins", message, "shop.py", 7, "put", trace)
    reads = tuple(Read("json", (name,), present=False) for name in missing)
    return Exchange(request, Response(500), crash=crash, reads=reads)


def phrase_of(failing: Exchange, *others: Exchange) -> str:
    return describe_condition(failing, [failing, *others], is_fault=True).phrase


@pytest.mark.parametrize(
    ("body", "key", "phrase"),
    [
        ({}, "name", "missing_name"),
        ({"name": "a"}, "price", "missing_price"),
        ({"name": "a", "price": 1, "currency": "chf"}, "CHF", "unknown_currency"),
    ],
)
def test_a_key_error_names_what_is_missing_or_unknown(
    body: dict[str, object], key: str, phrase: str
) -> None:
    failing = crashed(replace(PRODUCT, json=body), "KeyError", repr(key), "", "name", "price")
    refused = Exchange(replace(PRODUCT, has_json=False), Response(415))

    assert phrase_of(failing, refused) == phrase


def test_a_key_of_something_else_is_not_missing() -> None:
    failing = crashed(replace(PRODUCT, json={"sort": "-"}), "KeyError", "''")

    assert phrase_of(failing, Exchange(replace(PRODUCT, json={}), Response(200))) == "invalid_sort"


@pytest.mark.parametrize(
    ("form", "source", "phrase"),
    [
        ((), "elif len(username) < 2:", "missing_username"),
        ((("username", "aa"),), "elif len(password1) < 6:", "missing_password1"),
    ],
)
def test_the_line_that_failed_names_what_is_missing(
    form: tuple[tuple[str, str], ...], source: str, phrase: str
) -> None:
    full = (("email", "a"), ("username", "aa"), ("password1", "a"), ("password2", "a"))
    shown_again = Exchange(replace(SIGN_UP, form=full), Response(200))
    other = Exchange(replace(SIGN_UP, form=(("password1", "a"),)), Response(200))
    message = "object of type 'NoneType' has no len()"
    failing = crashed(replace(SIGN_UP, form=form), "TypeError", message, source)

    assert phrase_of(failing, other, shown_again) == phrase


@pytest.mark.parametrize(
    "message",
    ["invalid literal for int() with base 10: ''", "could not convert string to float: ''"],
)
def test_an_empty_text_in_the_place_of_what_is_missing(message: str) -> None:
    """``int(request.args.get("seats", ""))``: the plan that was sent is not to blame."""
    request = Request("GET", "/price", query=(("plan", "basic"),))
    failing = crashed(request, "ValueError", message, "return PLANS[plan] * int(seats)")
    full = Exchange(replace(request, query=(("plan", "a"), ("seats", "1"))), Response(200))

    assert phrase_of(failing, full) == "missing_seats"


@pytest.mark.parametrize(
    "message",
    [
        "(sqlite3.IntegrityError) UNIQUE constraint failed: product.name\n[SQL: INSERT]",
        "(sqlite3.IntegrityError) UNIQUE constraint failed: product.name [SQL: INSERT (id, a)]",
        "(1062, \"Duplicate entry 'a' for key 'product.name'\")",
        "duplicate key value violates unique constraint\nDETAIL:  Key (name)=(a) already exists.",
    ],
)
def test_a_broken_constraint_names_what_is_taken(message: str) -> None:
    failing = crashed(replace(PRODUCT, json={"name": "a", "qty": 1}), "IntegrityError", message)
    served = Exchange(replace(PRODUCT, json={"name": "b", "qty": 2}), Response(200))

    assert phrase_of(failing, served) == "taken_name"


@pytest.mark.parametrize(("title", "phrase"), [("Tides", "missing_number"), ("", "empty_title")])
def test_none_comes_from_the_input_that_is_missing_unless_another_is_odd(title, phrase) -> None:
    request = Request("POST", "/books", form=(("title", title),))
    failing = crashed(request, "AttributeError", "'NoneType' object has no attribute 'title'")
    served = replace(request, form=(("title", "Quay"), ("number", "1")))

    assert phrase_of(failing, Exchange(served, Response(302))) == phrase


@pytest.mark.parametrize(("body", "phrase"), [(42, "json_scalar"), (["a"], "json_list")])
def test_a_body_that_is_no_object_is_named_although_the_others_were_refused(body, phrase) -> None:
    failing = crashed(replace(PRODUCT, json=body), "TypeError", "cannot convert dictionary update")
    rejected = Exchange(replace(PRODUCT, json=None, has_json=False), Response(400))

    assert phrase_of(failing, rejected) == phrase


def test_a_kind_of_body_that_succeeds_elsewhere_is_not_named() -> None:
    request, served = replace(PRODUCT, json=["a"]), replace(PRODUCT, json=["b"])

    assert json_of_odd_kind(request, [served]) is None
    assert json_of_odd_kind(request, [replace(PRODUCT, json={"name": "b"})]) is not None


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("AttributeError", "'NoneType' object has no attribute 'name'"),
        ("UnmappedInstanceError", "Class 'builtins.NoneType' is not mapped"),
    ],
)
def test_nothing_was_found_under_an_unknown_id(kind: str, message: str) -> None:
    body = {"name": "a", "price": 0.0}
    failing = crashed(replace(PRODUCT, path={"id": "a"}, json=body), kind, message)
    rejected = Exchange(replace(PRODUCT, path={"id": "b"}, has_json=False), Response(415))

    assert phrase_of(failing, rejected) == "unknown_id"


def test_nothing_that_was_sent_is_not_something_that_was_not_found() -> None:
    message = "'NoneType' object has no attribute 'strip'"
    failing = crashed(replace(PRODUCT, json={"name": None, "price": 1}), "AttributeError", message)

    assert phrase_of(failing) == "null_name"


@pytest.mark.parametrize(("value", "phrase"), [(0, "unknown_id"), (2**63, "huge_id")])
def test_an_id_that_is_zero_is_merely_unknown(value: int, phrase: str) -> None:
    request = Request("DELETE", "/todos/{id}", path={"id": value})

    assert phrase_of(Exchange(request, Response(500))) == phrase


@pytest.mark.parametrize(
    ("source", "phrase"),
    [
        ("new_user = User(email=email, username=username)", ""),
        ("domain = email.split('@')[1]", "invalid_email"),
        ("db.session.commit()", ""),
    ],
)
def test_what_differs_from_a_refused_call_is_blamed_only_where_it_failed(
    source: str, phrase: str
) -> None:
    form = (("email", "aaaa"), ("username", "aa"), ("password1", "aaaaaa"))
    failing = crashed(replace(SIGN_UP, form=form), "ValueError", "wrong method", source)
    refused = Exchange(replace(SIGN_UP, form=(("email", "a"), *form[1:])), Response(422))

    assert phrase_of(failing, refused) == phrase


def test_what_differs_from_a_served_call_is_blamed_though_another_was_refused() -> None:
    def paying(expires: str) -> Request:
        return replace(PRODUCT, json={"card": "4", "expires": expires})

    failing = crashed(paying("1/0"), "ValueError", "year 0 is out of range", "date(year, month, 1)")
    served = Exchange(replace(PRODUCT, json={"card": "42", "expires": "1/30"}), Response(200))

    found = phrase_of(failing, Exchange(paying("a"), Response(422)), served)

    assert found == "invalid_card_and_expires"


@pytest.mark.parametrize(("has_json", "phrase"), [(True, "empty_json"), (False, "without_json")])
def test_a_body_without_inputs_is_told_from_none(has_json: bool, phrase: str) -> None:
    bare = Request("POST", "/things", json={} if has_json else None, has_json=has_json)
    other = replace(bare, json=None if has_json else {}, has_json=not has_json)
    failing = crashed(bare, "TypeError", "bad")

    assert phrase_of(failing, Exchange(other, Response(200))) == phrase
    refused = Exchange(bare, Response(400))
    assert describe_condition(refused, [refused, Exchange(other, Response(200))]).phrase == phrase


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        (b"Did not attempt to load JSON data", "without_json"),
        (b'{"errors": {"json": {"title": ["Missing."]}}}', "without_json"),
        (b"nothing was sent", "without_data"),
    ],
)
def test_a_body_that_an_answer_wants_to_be_json_is_called_so(said: bytes, phrase: str) -> None:
    response = Response(422, (("Content-Type", "text/plain"),), said)
    looked = (Read("form", ("title",), present=False),)
    refused = Exchange(Request("POST", "/todos"), response, reads=looked)

    assert describe_condition(refused, [refused]).phrase == phrase


def test_no_body_is_missed_that_the_handler_never_looks_for() -> None:
    asked = (Read("header", ("Authorization",), present=True),)
    refused = Exchange(Request("POST", "/posts/1/pin"), Response(400), reads=asked)

    assert describe_condition(refused, [refused]).phrase == ""


@pytest.mark.parametrize(
    ("places", "phrase"), [(("json",), "without_json"), (("json", "form"), "without_data")]
)
def test_a_body_that_is_only_read_as_json_is_called_so(
    places: tuple[str, ...], phrase: str
) -> None:
    looked = tuple(Read(place, (), present=False) for place in places)
    refused = Exchange(Request("POST", "/basket"), Response(400), reads=looked)

    assert describe_condition(refused, [refused]).phrase == phrase
