from __future__ import annotations

import pytest

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.problem.http.exchanges.request import upload
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import excerpts
from pytest_evosearch.problem.http.exchanges.responses import linkable_values
from pytest_evosearch.problem.http.exchanges.responses import loose_tokens
from pytest_evosearch.problem.http.exchanges.responses import select

ENDPOINT = Endpoint("POST", "/things/{id}", "things")
JSON = (("Content-Type", "application/json"),)


def built(*inputs: tuple[Location, str, object], earlier=None) -> Request:
    given = tuple(
        Input(location, name, value if hasattr(value, "value") else ConstantGene(value))
        for location, name, value in inputs
    )
    return build_request(Call(ENDPOINT.key, given, 9), ENDPOINT, earlier or {})


def exchange(body: bytes = b"", headers=JSON, status: int = 201) -> Exchange:
    return Exchange(Request("POST", "/things"), Response(status, headers, body))


def test_every_location_ends_up_in_its_place():
    request = built(
        (Location.PATH, "id", 5),
        (Location.QUERY, "tag", ["a", "b"]),
        (Location.QUERY, "all", True),
        (Location.QUERY, "none", None),
        (Location.HEADER, "X-A", "b\r\nc"),
        (Location.COOKIE, "sid", "x;y"),
        (Location.FORM, "n", 1.5),
        (Location.FILE, "photo", b"\x00"),
    )
    assert request.path == {"id": 5}
    assert request.query == (("tag", "a"), ("tag", "b"), ("all", "true"), ("none", ""))
    assert request.headers == (("X-A", "bc"),)
    assert request.cookies == (("sid", "xy"),)
    assert request.form == (("n", 1.5),)
    assert request.files == (("photo", Upload("photo.txt", b"\x00")),)
    assert not request.has_json
    assert request.endpoint == ENDPOINT.key


def test_absent_values_are_left_out_everywhere():
    request = built((Location.QUERY, "a", ABSENT), (Location.JSON, "", {"x": ABSENT, "y": [1]}))
    assert request.query == ()
    assert request.has_json
    assert request.json == {"y": [1]}


def test_missing_path_value_is_an_empty_segment():
    assert built().path == {"id": ""}


@pytest.mark.parametrize("text", ["caf\ud800é", "\udfff"])
def test_lone_surrogates_are_removed(text):
    request = built((Location.QUERY, "q", text), (Location.JSON, "", {text: [text]}))
    clean = text.encode("utf-8", "ignore").decode()
    assert request.query == (("q", clean),)
    assert request.json == {clean: [clean]}


def test_headers_are_latin_1_on_one_line():
    assert built((Location.HEADER, "X", " é€\x00 ")).headers == (("X", "é"),)


def test_one_kind_of_body_is_sent():
    everything = (
        (Location.TEXT, "", "raw"),
        (Location.FORM, "a", "b"),
        (Location.JSON, "", None),
    )
    request = built(*everything)
    assert (request.has_json, request.json, request.form, request.text) == (True, None, (), None)
    assert built(*everything[:2]).text is None
    raw = built(*everything[:1])
    assert (raw.text, raw.content_type) == ("raw", "text/plain")


def test_content_type_of_a_text_body_is_the_parameter_s():
    body = Parameter(Location.TEXT, "", TextGene(), content_type="text/csv")
    endpoint = Endpoint("PUT", "/t", "t", (body,))
    call = Call(endpoint.key, (Input(Location.TEXT, "", TextGene(current="a")),), 1)
    assert build_request(call, endpoint, {}).content_type == "text/csv"


def test_links_are_resolved_and_their_origin_is_kept():
    earlier = {4: (2, exchange(b'{"id": 7, "owner": {"names": ["ann"]}}'))}
    request = built(
        (Location.PATH, "id", LinkGene(4, ("json", "id"), IntegerGene(current=1))),
        (Location.JSON, "", {"author": [LinkGene(4, ("json", "owner", "names", 0)).value()]}),
        earlier=earlier,
    )
    assert request.path == {"id": 7}
    assert request.json == {"author": ["ann"]}
    assert request.origins == {
        ("path", "id"): Origin(2, ("json", "id")),
        ("json", "author", 0): Origin(2, ("json", "owner", "names", 0)),
    }


@pytest.mark.parametrize(
    "earlier",
    [{}, {4: (0, exchange(b"no json"))}, {4: (0, exchange(b'{"id": null}'))}],
    ids=["no call", "no json", "null"],
)
def test_link_without_a_value_sends_its_fallback(earlier):
    link = LinkGene(4, ("json", "id"), IntegerGene(current=3))
    request = built((Location.PATH, "id", link), earlier=earlier)
    assert request.path == {"id": 3}
    assert request.origins == {}


def test_prefix_is_put_before_a_linked_token():
    gene = PrefixedGene(LinkGene(1, ("json", "token"), TextGene(current="x")), "Bearer ")
    earlier = {1: (0, exchange(b'{"token": "abc"}'))}
    request = built((Location.HEADER, "Authorization", gene), earlier=earlier)
    assert request.headers == (("Authorization", "Bearer abc"),)
    origin = request.origins["header", "Authorization"]
    assert origin == Origin(0, ("json", "token"), "Bearer ")
    lonely = built((Location.HEADER, "Authorization", gene))
    assert lonely.headers == (("Authorization", "Bearer x"),)


def test_selectors_of_headers_locations_and_forms():
    headers = (
        ("Content-Type", "text/html"),
        ("Location", "http://localhost/posts/a%20b/?next=1"),
        ("ETag", '"1"'),
    )
    page = b'<form><input type=hidden name=csrf_token value="t&amp;u"></form>'
    found = exchange(page, headers)
    assert select(found, ("location", -1)) == "a b"
    assert select(found, ("location", 5)) is MISSING
    assert select(found, ("header", "etag")) == '"1"'
    assert select(found, ("form", "csrf_token")) == "t&u"
    assert select(found, ("form", "other")) is MISSING
    assert select(found, ("json", "x")) is MISSING
    assert select(Exchange(found.request, None, frozen=True), ("json",)) is MISSING


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('<meta name="csrf-token" content="t&amp;u-12345">', {"csrf-token": "t&u-12345"}),
        ('<META content="12345678" name="x-xsrf">', {"x-xsrf": "12345678"}),
        ('<script>var csrf_token = "12345678"</script>', {"csrf_token": "12345678"}),
        ("init({'csrfNonce': \"12345678\"})", {"csrfNonce": "12345678"}),
        ('<meta name="csrf-param" content="authenticity_token">', {}),
        ('<input name="csrf_token" value="12345678">', {}),
        ("set('X-CSRFToken', csrf_token)", {}),
        ("csrf" + "A" * 400 + "<meta name='csrf' content='12345678'>", {"csrf": "12345678"}),
    ],
    ids=["head", "turned", "script", "object", "parameter", "field", "use", "far"],
)
def test_tokens_stand_in_the_head_or_in_a_script_of_a_page(text, tokens):
    found = exchange(text.encode(), (("Content-Type", "text/html"),))
    assert loose_tokens(found.response) == tokens
    for name, value in tokens.items():
        assert select(found, ("page", name)) == value
    assert select(found, ("page", "other")) is MISSING


def test_excerpts_do_not_overlap_and_do_not_cut_what_is_near():
    text = b"0123456789Word--word--------------------------WORD"
    assert list(excerpts(text, [b"word", b"none"], 8)) == ["23456789Word--word----", "--------WORD"]
    assert list(excerpts(text, [b"none"], 8)) == []


def test_linkable_values_are_scalars_by_their_selectors():
    body = b'{"id": 1, "ok": true, "items": [{"slug": "a"}, {"slug": "b"}], "empty": ""}'
    assert linkable_values(exchange(body).response) == [
        (("json", "id"), 1),
        (("json", "items", 0, "slug"), "a"),
    ]
    assert linkable_values(exchange(b"12").response) == [(("json",), 12)]
    assert linkable_values(exchange(b"broken").response) == []


def test_a_file_that_is_wrongly_a_list_is_sent_all_the_same() -> None:
    assert upload("photo", [b"a"]).content == b'["a"]'


def test_a_scheme_that_no_client_has_is_left_out() -> None:
    request = built(
        (Location.ENVIRON, "wsgi.url_scheme", "Bob"), (Location.ENVIRON, "REMOTE_USER", "Bob")
    )
    assert request.environ == (("REMOTE_USER", "Bob"),)
