from __future__ import annotations

import json
import re

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.content.references import known_identifiers
from pytest_evosearch.write.content.references import references_of
from pytest_evosearch.write.content.references import variable_for

CREATED = {"id": 1, "book_id": 1, "token": "0f9c2e7a1b"}
ORDER = Exchange(
    Request("POST", "/api/orders", json={"book_id": 1}, has_json=True),
    Response(201, (("Content-Type", "application/json"),), json.dumps(CREATED).encode()),
)


def sent_codes(request: Request) -> list[str]:
    exchanges = [ORDER, Exchange(request, None)]
    return [one.code for one in references_of(exchanges, 1, ["created", "response"]).values()]


@pytest.mark.parametrize(
    ("place", "key", "value", "codes"),
    [
        (("json", "order_id"), "id", 1, ["created.json['id']"]),
        (("json", "amount"), "id", 1, []),
        (("json", "book_id"), "book_id", 1, []),
        (("json", "note"), "token", "0f9c2e7a1b", ["created.json['token']"]),
    ],
    ids=["same-family", "coincidence", "echo", "long-value"],
)
def test_origins_are_followed_where_they_are_credible(
    place: ValuePath, key: str, value: object, codes: list[str]
) -> None:
    body = {str(place[-1]): value}
    origins = {place: Origin(0, ("json", key))}
    request = Request("POST", "/api/payments", json=body, has_json=True, origins=origins)

    assert sent_codes(request) == [code.replace("'", '"') for code in codes]


@pytest.mark.parametrize(
    ("location", "code"),
    [
        (
            "https://desk.invalid/back?code=Wq-7x2&state=a",
            '.partition("code=")[2].partition("&")[0]',
        ),
        ("/back?state=a&code=Wq-7x2", '.partition("code=")[2].partition("&")[0]'),
        ("/back?code=Wq-7x2#top", ""),
        ("/back?area_code=9&code=Wq-7x2", ""),
    ],
)
def test_a_code_in_the_query_of_a_location_is_read_as_the_search_read_it(location, code) -> None:
    agreed = Exchange(Request("GET", "/agree"), Response(302, (("Location", location),), b""))
    place = ("form", "code")
    origins = {place: Origin(0, ("location", "code"))}
    taking = Request("POST", "/token", form=(("code", "Wq-7x2"),), origins=origins)
    found = references_of([agreed, Exchange(taking, None)], 1, ["agreed", "response"])
    assert [one.code for one in found.values()] == ([f"agreed.location{code}"] if code else [])


@pytest.mark.parametrize(
    ("location", "index", "code"),
    [
        ("/lists/7", -1, '.split("/")[-1]'),
        ("/lists/7/", -1, '.split("/")[-2]'),
        ("http://localhost/lists/7?new=1/2", -1, '.partition("?")[0].split("/")[-1]'),
        ("/lists/7/?new=1", -1, '.partition("?")[0].split("/")[-2]'),
        ("/lists/7#new", -1, '.partition("#")[0].split("/")[-1]'),
        ("/lists/%37", -1, None),
        ("/lists/7/edit?last=7", 1, '.split("/")[2]'),
        ("http://localhost/lists/7/edit", 1, '.split("/")[4]'),
        ("/lists/%37/edit", 1, None),
    ],
)
def test_a_segment_of_a_location_is_read_as_the_search_read_it(location, index, code) -> None:
    created = Exchange(Request("POST", "/lists"), Response(302, (("Location", location),), b""))
    place = ("path", "id")
    origins = {place: Origin(0, ("location", index))}
    shown = Request("GET", "/lists/{id}", path={"id": "7"}, origins=origins)

    references = references_of([created, Exchange(shown, None)], 1, ["created", "shown"])

    assert [one.code for one in references.values()] == (
        [f"created.location{code}"] if code else []
    )
    if code:
        assert eval(f"location{code}") == "7"


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ({"order_id": 7, "paid": True}, ['created.json["id"]']),
        ({"order_id": 8}, []),
        ({"amount": 7}, []),
        ({"book_id": 7}, []),
        ([7], []),
    ],
    ids=["made-before", "another", "amount", "of-another-thing", "no-object"],
)
def test_a_field_of_a_json_body_takes_the_identifier_of_what_was_made(
    body: object, codes: list[str]
) -> None:
    given = Response(201, (("Content-Type", "application/json"),), b'{"id": 7}')
    order = Exchange(Request("POST", "/api/orders", json={"book": "a"}, has_json=True), given)
    paying = Exchange(Request("POST", "/api/payments", json=body, has_json=True), None)
    found = references_of([order, paying], 1, ["created", "response"])
    assert [one.code for one in found.values()] == codes


def test_path_takes_the_identifier_of_its_own_kind_only() -> None:
    advance = Request("POST", "/api/orders/{order_id}/advance", path={"order_id": 1})
    restock = Request("POST", "/books/{book_id}/restock", path={"book_id": 1})

    assert sent_codes(advance) == ['created.json["id"]']
    assert sent_codes(restock) == []


@pytest.mark.parametrize(
    ("template", "codes"),
    [
        ("/api/orders/{number}", ['created.json["id"]']),
        ("/api/orders/{number}/lines", ['created.json["id"]']),
        ("/api/books/{number}", []),
        ("/api/orders/recent/{number}", []),
    ],
)
def test_what_stands_below_the_address_that_made_it_is_taken_from_there(
    template: str, codes: list[str]
) -> None:
    assert sent_codes(Request("GET", template, path={"number": 1})) == codes


def test_equal_identifiers_of_other_things_stay_literal() -> None:
    known = known_identifiers([ORDER, ORDER], 1, ["created", "response"])

    assert variable_for(1, "id", known) == Expression('created.json["id"]')
    assert variable_for(1, "order_id", known) == Expression('created.json["id"]')
    assert variable_for(1, "book_id", known) is None
    assert variable_for(1, "quantity", known) is None


def test_the_review_of_a_product_is_no_product() -> None:
    review = Exchange(
        Request("POST", "/products/{product_id}/reviews", path={"product_id": 1}),
        Response(201, (("Content-Type", "application/json"),), b'{"id": 1}'),
    )
    known = known_identifiers([review, review], 1, ["created", "response"])
    reviews = ("review",)

    assert variable_for(1, "review_id", known, reviews) == Expression('created.json["id"]')
    assert variable_for(1, "id", known, reviews) == Expression('created.json["id"]')
    assert variable_for(1, "id", known, ("account",)) is None
    assert variable_for(1, "product_id", known, reviews) is None


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (
            '<input id="csrf_token" name="csrf_token" type="hidden" value="t.0-k">',
            're.search(\'name="csrf_token".*?value="(.+?)"\', created.text)[1]',
        ),
        (
            '<input type="hidden" value="t.0-k" name="csrf_token">',
            're.search(\'value="([^"]+)"[^>]*name="csrf_token"\', created.text)[1]',
        ),
        ("<input name=csrf_token value='t.0-k'>", None),
    ],
)
def test_the_token_of_a_form_is_read_from_its_page(page: str, code: str | None) -> None:
    """It is another one each time; what cannot be read shortly stays as it was sent."""
    form = f"<form method='post' action='/login'>{page}</form>".encode()
    shown = Exchange(
        Request("GET", "/login"), Response(200, (("Content-Type", "text/html"),), form)
    )
    place = ("form", "csrf_token")
    origins: dict[ValuePath, Origin] = {place: Origin(0, ("form", "csrf_token"))}
    request = Request("POST", "/login", form=(("csrf_token", "t.0-k"),), origins=origins)

    found = references_of([shown, Exchange(request, None)], 1, ["created", "response"])

    assert [one.code for one in found.values()] == ([code] if code else [])
    if code:
        created = type("Page", (), {"text": form.decode()})
        assert eval(code, {"re": re, "created": created}) == "t.0-k"


@pytest.mark.parametrize(
    ("name", "page", "code"),
    [
        (
            "csrf-token",
            '<meta name="csrf-token" content="t.0-k4567">',
            're.search(\'name="csrf-token" content="(.+?)"\', page.text)[1]',
        ),
        (
            "csrf-token",
            '<meta name="csrf-token"\n content="t.0-k4567">',
            're.search(\'name="csrf-token"[^>]*content="(.+?)"\', page.text)[1]',
        ),
        (
            "csrf_token",
            '<script>var csrf_token = "t.0-k4567";</script>',
            "re.search('csrf_token = \"(.+?)\"', page.text)[1]",
        ),
        (
            "csrfNonce",
            "<script>init({'csrfNonce': 't.0-k4567'})</script>",
            "re.search(\"csrfNonce': '(.+?)'\", page.text)[1]",
        ),
    ],
    ids=["head", "lines", "script", "object"],
)
def test_the_token_of_a_script_is_read_from_its_page(name: str, page: str, code: str) -> None:
    shown = Exchange(
        Request("GET", "/"), Response(200, (("Content-Type", "text/html"),), page.encode())
    )
    origins: dict[ValuePath, Origin] = {("header", "X-CSRFToken"): Origin(0, ("page", name))}
    headers = (("X-CSRFToken", "t.0-k4567"),)
    request = Request("POST", "/cards", headers=headers, origins=origins)

    found = references_of([shown, Exchange(request, None)], 1, ["page", "response"])

    assert [one.code for one in found.values()] == [code]
    assert eval(code, {"re": re, "page": type("Page", (), {"text": page})}) == "t.0-k4567"


def test_a_redirect_to_what_was_asked_for_hands_out_nothing() -> None:
    asked = Exchange(
        Request("GET", "/{project}", path={"project": "demo"}),
        Response(308, (("Location", "/demo/"),), b""),
    )
    origins = {("path", "project"): Origin(0, ("location", -1))}
    edited = Request("POST", "/{project}/edit", path={"project": "demo"}, origins=origins)

    assert references_of([asked, Exchange(edited, None)], 1, ["redirected", "response"]) == {}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"id": 3}, 'created.json["id"]'),
        ({"group_id": 3, "size": 0}, 'created.json["group_id"]'),
        ({"group": {"id": 3}}, 'created.json["group"]["id"]'),
        ({"owner": {"id": 3}}, None),
        ({"size": 3}, None),
    ],
)
def test_what_an_answer_calls_the_id_of_what_it_made_is_taken_from_there(
    body: dict[str, object], code: str | None
) -> None:
    created = Exchange(
        Request("POST", "/group", json={}, has_json=True),
        Response(201, (("Content-Type", "application/json"),), json.dumps(body).encode()),
    )
    deleted = Exchange(Request("DELETE", "/group/{id}", {"id": 3}), Response(204))
    found = references_of((created, deleted), 1, ("created", "response"))
    assert (found[("path", "id")].code if found else None) == code


def test_an_id_of_an_xml_answer_goes_into_a_later_call() -> None:
    created = Exchange(
        Request("POST", "/albums"),
        Response(201, (("Content-Type", "text/xml"),), b'<reply><album id="17"/></reply>'),
    )
    origin = Origin(0, ("xml", "album", "@id"))
    read = Exchange(
        Request("GET", "/albums/{id}", {"id": "17"}, origins={("path", "id"): origin}),
        Response(200),
    )
    found = references_of((created, read), 1, ("created", "response"))
    code = 'ElementTree.fromstring(created.data).find("album").get("id")'
    assert found[("path", "id")].code == code
