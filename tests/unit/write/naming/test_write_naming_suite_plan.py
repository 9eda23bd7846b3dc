from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.naming.suite_plan import plan_suite

JSON = (("Content-Type", "application/json"),)


def logged_in(token: str, place: str) -> Specimen:
    lamp = Request(
        "POST",
        "/lamps",
        headers=(("Authorization", f"Bearer {token}"),),
        origins={("header", "Authorization"): Origin(0, ("json", "token"))},
    )
    answer = f'{{"token": "{token}"}}'.encode()
    return Specimen(
        (
            Exchange(Request("POST", "/login"), Response(200, JSON, answer)),
            Exchange(lamp, Response(201)),
            Exchange(Request("POST", place), Response(201)),
            Exchange(Request("GET", "/lamps"), Response(200, JSON, b"[4]")),
        )
    )


@pytest.mark.parametrize(
    "tokens",
    [
        ("0123456789abcdef", "fedcba9876543210"),
        ("fedcba9876543210", "0123456789abcdef"),
        ("k1", "x2"),
        ("a long one with blanks", "short"),
    ],
)
def test_what_is_handed_out_does_not_order_tests(tokens: tuple[str, str]) -> None:
    specimens = [logged_in(tokens[0], "/walls"), logged_in(tokens[1], "/rooms")]

    plan = plan_suite(specimens, Surroundings())

    assert [test.specimens for test in plan.tests] == [(1,), (0,)]


def test_no_name_is_about_a_signature_that_a_fixture_computes() -> None:
    signed = Request("POST", "/hook", headers=(("X-Signature", "0" * 64),))
    specimens = [
        Specimen((Exchange(signed, Response(400)),)),
        Specimen((Exchange(replace(signed, json={"a": 1}, has_json=True), Response(200)),)),
    ]

    def unsigned(request: Request) -> Request:
        return replace(request, headers=())

    names = [test.name for test in plan_suite(specimens, Surroundings(unsigned=unsigned)).tests]
    assert not [name for name in names if "signature" in name]


HTML = (("Content-Type", "text/html; charset=utf-8"),)


def page(path: str, heading: str, **sent: str) -> Specimen:
    request = Request("GET", path, query=tuple(sent.items()))
    return Specimen((Exchange(request, Response(200, HTML, f"<h1>{heading}</h1>".encode())),))


def test_pages_that_are_templates_alone_are_one_table() -> None:
    pages = [page("/about", "About us"), page("/faq", "Questions"), page("/terms", "The terms")]
    specimens = [*pages, page("/blog", "A day at sea"), page("/search", "About us", q="a")]
    wording = Wording.of("<h1>About us</h1><h1>Questions</h1><h1>The terms</h1>")
    corpus = replace(Corpus.of_specimens(specimens), wording=wording)

    plan = plan_suite(specimens, Surroundings(corpus=corpus))
    (table,) = (test for test in plan.tests if test.module == "pages")
    assert (table.name, table.specimens) == ("test_pages_are_shown", (0, 1, 2))

    plan = plan_suite(specimens[1:], Surroundings(corpus=corpus))
    assert not [test for test in plan.tests if test.module == "pages"]
