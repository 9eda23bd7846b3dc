"""curl lines and nearest misses: exact, quoted, of bounded length."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.report.curl import curl_command
from pytest_evosearch.report.curl import curl_script
from pytest_evosearch.report.misses import in_words
from pytest_evosearch.report.misses import nearest_miss

POST_JSON = "curl -i -X POST http://localhost:5000/a -H 'Content-Type: application/json'"
PUT_PNG = "curl -i -X PUT http://localhost:5000/a -H 'Content-Type: image/png'"


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request("GET", "/"), "curl -i http://localhost:5000/"),
        (Request("HEAD", "/"), "curl -i --head http://localhost:5000/"),
        (
            Request("GET", "/a/{id}", {"id": "x/y z"}, (("q", "1 2"), ("q", "&"))),
            "curl -i 'http://localhost:5000/a/x%2Fy%20z?q=1+2&q=%26'",
        ),
        (
            Request("POST", "/a", json={"name": "it's"}, has_json=True),
            f'{POST_JSON} --data-raw \'{{"name": "it\'"\'"\'s"}}\'',
        ),
        (
            Request("POST", "/a", json=None, has_json=True),
            f"{POST_JSON} --data-raw null",
        ),
        (
            Request("POST", "/a", form=(("b", 1), ("c", "x y"))),
            "curl -i -X POST http://localhost:5000/a --data-raw 'b=1&c=x+y'",
        ),
        (
            Request("POST", "/a", form=(("b", 1),), files=(("f", Upload("n.txt", b"x")),)),
            "curl -i -X POST http://localhost:5000/a --form-string b=1 -F f=@n.txt",
        ),
        (
            Request("PUT", "/a", text=b"\xff'\x00", content_type="image/png"),
            f"{PUT_PNG} --data-raw $'\\xff\\x27\\x00'",
        ),
        (
            Request("GET", "/", headers=(("X-A", "1"),), cookies=(("s", "2"),), host="b.test"),
            "curl -i http://b.test/ -H 'X-A: 1' -b s=2",
        ),
    ],
)
def test_curl_command(request_: Request, expected: str) -> None:
    assert curl_command(request_) == expected


@given(name=st.text(), value=st.text(), body=st.text(), segment=st.text())
def test_any_text_stays_one_shell_word(name: str, value: str, body: str, segment: str) -> None:
    request = Request(
        "POST", "/{id}", {"id": segment}, ((name, value),), ((name, value),), text=body
    )
    words = shlex.split(curl_command(request))
    assert words[:4] == ["curl", "-i", "-X", "POST"]
    assert words[5:7] == ["-H", f"{name}: {value}"]
    assert words[-2:] == ["--data-raw", body]


def test_script_says_whose_call_it_is_and_what_was_taken_from_where() -> None:
    first = Exchange(Request("POST", "/orders"), Response(201))
    second = Exchange(
        Request(
            "GET", "/orders/{id}", {"id": 7}, origins={("path", "id"): Origin(0, ("json", "id"))}
        ),
        Response(200),
        user="al\nice",
    )
    assert curl_script((first, second)).splitlines() == [
        "curl -i -X POST http://localhost:5000/orders",
        "# as the user al ice",
        "# path.id is taken from the answer of call 1",
        "curl -i http://localhost:5000/orders/7",
    ]


def observation(*exchanges: Exchange, sightings: tuple[Sighting, ...] = ()) -> Observation:
    return Observation(Individual(()), exchanges, sightings=sightings)


TARGET = "branch shop.py:7 true"


def test_nearest_miss_tells_values_and_calls() -> None:
    seen = observation(
        Exchange(Request("POST", "/a", json={"b": 1}, has_json=True), Response(201)),
        Exchange(Request("GET", "/a", query=(("q", "x"),)), Response(404), user="bob"),
        sightings=(
            Sighting(TARGET, "comparison", "==", ("'first'", "'wanted'")),
            Sighting(TARGET, "comparison", "==", ("'last'", "'wanted'")),
            Sighting(TARGET, "comparison", "==", ("'first'", "'wanted'")),
            Sighting("branch shop.py:9 true", "comparison", "<", ("1", "2")),
        ),
    )
    assert nearest_miss(TARGET, seen) == (
        "saw 'first' == 'wanted', 'last' == 'wanted'; "
        'POST /a {"b": 1} -> 201 then GET /a?q=x as bob -> 404'
    )


def test_nearest_miss_of_a_part_tells_what_its_line_saw() -> None:
    seen = observation(
        Exchange(Request("GET", "/"), Response(200)),
        sightings=(Sighting("branch shop.py:7#2 true", "truth", "", ("None",)),),
    )
    assert nearest_miss(TARGET, seen) == "saw the value None; GET / -> 200"


@pytest.mark.parametrize(
    ("kind", "operation", "values", "words"),
    [
        ("comparison", "<", ("1", "2"), "1 < 2"),
        ("truth", "", ("<Order>",), "the value <Order>"),
        ("predicate", "startswith", ("'abc'", "'x'"), "'abc'.startswith('x')"),
        ("predicate", "isinstance", ("[]", "dict"), "isinstance([], dict)"),
        ("predicate", "isdigit", ("'x'",), "'x'.isdigit()"),
        ("conversion", "int", ("'1x'",), "int('1x')"),
        ("lookup", "key", ("'b'", "{'a': 1}"), "{'a': 1}['b']"),
        ("completion", "", (), "the value ?"),
    ],
)
def test_what_a_condition_saw_reads_like_its_source(
    kind: str, operation: str, values: tuple[str, ...], words: str
) -> None:
    assert in_words(Sighting(TARGET, kind, operation, values)) == words


def test_nearest_miss_without_a_look_tells_the_calls() -> None:
    seen = observation(*(Exchange(Request("GET", f"/{number}"), None) for number in range(6)))
    assert nearest_miss(TARGET, seen) == (
        "2 calls then GET /2 -> no answer then GET /3 -> no answer "
        "then GET /4 -> no answer then GET /5 -> no answer"
    )
