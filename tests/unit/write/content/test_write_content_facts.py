from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from werkzeug.exceptions import default_exceptions

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.assertions import assertion_lines
from pytest_evosearch.write.content.assertions import holds
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.identifier_names import Reference
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import FactPath
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.modules.printing import print_test

GET = Request("GET", "/things")


def facts(
    response: Response,
    unstable: Mapping[FactPath, str] | None = None,
    request: Request = GET,
    others: tuple[str, ...] = (),
) -> list[Fact]:
    marks = {(0, path): reason for path, reason in (unstable or {}).items()}
    specimen = Specimen((Exchange(request, response),), unstable=marks)
    corpus = Corpus({request.endpoint: (response.text, *others)})
    return list(act_facts(specimen, 0, corpus))


def body(value: object, status: int = 200) -> Response:
    headers = (("Content-Type", "application/json"),)
    return Response(status, headers, json.dumps(value).encode())


def text(content: str | bytes, mimetype: str = "text/html", status: int = 200) -> Response:
    data = content.encode() if isinstance(content, str) else content
    return Response(status, (("Content-Type", mimetype),), data)


OK = Fact("status", (), 200)


def test_small_json_is_asserted_whole() -> None:
    assert facts(body({"a": [1, 2]})) == [OK, Fact("json", (), {"a": [1, 2]})]


def test_a_redirect_to_nothing_is_not_asserted() -> None:
    redirected = [Response(302, (("Location", one),)) for one in ("/users", "/users/None")]

    assert [[one.kind for one in facts(each)] for each in redirected] == [
        ["status", "location"],
        ["status"],
    ]


def test_the_name_of_the_machine_is_not_asserted_however_short(monkeypatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "vm")

    found = facts(body({"hostname": "vm", "note": "a vm is fine"}))

    assert found[1] == Fact(
        "json", (), {"hostname": Unstable("depends on where it runs"), "note": "a vm is fine"}
    )


def test_the_system_that_it_runs_on_is_not_asserted() -> None:
    python = platform.python_version()
    told = {"os": platform.system(), "version": platform.release(), "python": python}

    machine = Unstable("depends on where it runs")
    assert facts(body({**told, "a": "Linux A"}))[1] == Fact(
        "json", (), {**dict.fromkeys(told, machine), "a": "Linux A"}
    )


def test_the_words_of_the_framework_are_not_asserted() -> None:
    says = "The browser (or proxy) sent a request that this server could not understand."

    found = facts(body({"code": 400, "description": says, "message": "no such page"}))

    assert found[1:] == [Fact("json", ("message",), "no such page")]
    assert facts(body(says))[1] == Fact("json", (), says)


def test_the_version_of_a_library_that_is_named_beside_it_is_not_asserted() -> None:
    minor = ".".join(version("pytest").split(".")[:2])
    page = f"https://errors.pytest.example/{minor}/v/missing"
    other = {"page": "https://errors.pytest.example/77.1/v", "since": f"since {minor}"}

    assert facts(body({"id": 1, "url": page}))[1] == Fact(
        "json", (), {"id": 1, "url": Unstable("depends on the installed pytest")}
    )
    assert facts(body(other))[1] == Fact("json", (), other)


def test_the_version_of_a_library_under_its_name_is_not_asserted() -> None:
    found = facts(body({"pytest": version("pytest"), "other": version("pytest")}))

    bound = {"pytest": Unstable("depends on the installed pytest"), "other": version("pytest")}
    assert found[1] == Fact("json", (), bound)


def test_of_an_error_that_repeats_its_status_one_text_is_asserted() -> None:
    says = default_exceptions[404].description

    found = facts(body({"code": 404, "description": says, "message": "Not Found"}, 404))

    assert found[1:] == [Fact("json", ("message",), "Not Found")]


def test_of_a_refusal_of_a_library_the_reasons_are_asserted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("marshmallow")
    monkeypatch.chdir(tmp_path)
    for name, module in list(sys.modules.items()):  # their texts are of another project
        if Path(getattr(module, "__file__", None) or "/").is_relative_to(Path(__file__).parents[3]):
            monkeypatch.delitem(sys.modules, name)
    says = "The server found one or more errors in the information that you sent."
    errors = {"json": {"text": ["Missing data for required field."]}}
    answer = {"code": 400, "description": says, "errors": errors, "message": "Validation Error"}

    found = facts(body(answer, 400))

    assert found[1:] == [Fact("json", ("errors",), {"json": {"text": [Unstable("")]}})]


def test_unstable_parts_become_any_with_the_reason() -> None:
    found = facts(body({"id": 1, "at": 5}), {("json", "at"): "changes with the clock"})

    assert found[1] == Fact("json", (), {"id": 1, "at": Unstable("changes with the clock")})


@pytest.mark.parametrize("path", [("json",), ("text",)])
def test_body_that_is_unstable_as_a_whole_is_left_out(path: FactPath) -> None:
    assert facts(body({"id": 1}), {path: "changes between runs"}) == [OK]


def test_of_a_large_object_the_telling_keys_are_asserted() -> None:
    value = {f"padding_{number}": "x" * 60 for number in range(30)}
    value |= {"note": "sent", "id": "7"}
    request = Request("POST", "/things", json={"note": "sent"}, has_json=True)

    found = facts(body(value), request=request)

    assert Fact("json", ("note",), "sent") in found
    assert Fact("json", ("id",), "7") in found
    assert len(found) == 7


def test_of_a_large_object_what_its_siblings_lack_is_asserted() -> None:
    usual = {f"part_{number}": "x" * 60 for number in range(30)}
    changed = {**usual, "part_17": "y" * 60, "part_29": "z" * 60}

    found = facts(body(changed), others=(json.dumps(usual), json.dumps({**usual, "more": 1})))

    assert Fact("json", ("part_17",), "y" * 60) in found
    assert Fact("json", ("part_29",), "z" * 60) in found


def test_long_list_is_asserted_by_length_and_first_item() -> None:
    found = facts(body([{"id": number} for number in range(100)]))

    assert found == [OK, Fact("length", (), 100), Fact("json", (0,), {"id": 0})]


def test_a_long_text_is_asserted_by_its_first_words_not_by_its_length() -> None:
    page = (
        "\n  <h1>Otters and their rivers, of which there are very many more</h1>\n" + "word " * 200
    )

    found = facts(body({"html": page, "ok": True}))

    start = "<h1>Otters and their rivers, of which there are very many mo"
    assert found == [OK, Fact("json-contains", ("html",), start), Fact("json", ("ok",), True)]
    assert facts(body({"html": " \n" * 400, "ok": True})) == [OK, Fact("json", ("ok",), True)]


def test_not_a_number_is_asked_for_by_name() -> None:
    found = facts(body({"x": float("nan"), "n": 1}))

    assert found[1] == Fact("nan", ("x",))
    assert found[2] == Fact("json", (), {"x": Unstable("not a number"), "n": 1})


def test_redirect_is_asserted_by_its_location() -> None:
    response = Response(302, (("Location", "/login"), ("Content-Type", "text/html")), b"<p>x</p>")

    assert facts(response) == [Fact("status", (), 302), Fact("location", (), "/login")]


def test_page_of_a_redirect_with_another_status_repeats_its_address() -> None:
    page = b"<p>You should be redirected automatically to <a href=/x>/x</a>. If not, click.</p>"
    response = Response(404, (("Location", "/x"), ("Content-Type", "text/html")), page)

    assert facts(response) == [Fact("status", (), 404), Fact("location", (), "/x")]


def test_unstable_location_is_left_out() -> None:
    response = Response(302, (("Location", "/x/8f2a"),))

    assert facts(response, {("header", "Location"): "random"}) == [Fact("status", (), 302)]


def test_page_is_asserted_by_what_only_it_shows() -> None:
    page = "<title>Log in</title><h1>Log in</h1><div class='flash'>Wrong password.</div>"
    other = "<title>Log in</title><h1>Log in</h1>"

    assert facts(text(page), others=(other,)) == [OK, Fact("contains", (), ">Wrong password.<")]


def test_a_key_tells_nobody_anything_unless_it_was_sent() -> None:
    page = "<p>79d462441d01413a1ccd7ce28c019dcd</p><p>Key of ann</p>"
    sent = Request("GET", "/things", query=(("key", "79d462441d01413a1ccd7ce28c019dcd"),))

    assert facts(text(page)) == [OK, Fact("contains", (), "Key of ann")]
    assert "79d4" in str(facts(text(page), request=sent)[1].value)


def test_page_with_a_changing_part_is_asserted_by_words() -> None:
    page = "<h1>Log in</h1><p>token 12345</p>"

    assert facts(text(page), {("text",): "random"}) == [OK, Fact("contains", (), "Log in")]


def test_default_error_page_says_no_more_than_its_status() -> None:
    page = "<title>404 Not Found</title><p>The requested URL was not found on the server.</p>"

    assert facts(text(page, status=404)) == [Fact("status", (), 404)]


@pytest.mark.parametrize("heading", ["Page Not Found - 404", "404", "Error 404", "Not Found!"])
def test_an_error_page_of_the_application_may_say_no_more_either(heading: str) -> None:
    page = f'<h1>{heading}</h1><a href="/">Go back</a>'

    assert facts(text(page, status=404)) == [Fact("status", (), 404)]


def test_short_plain_text_is_asserted_whole_and_long_one_by_its_beginning() -> None:
    assert facts(text("pong")) == [OK, Fact("text", (), "pong")]
    assert facts(text("User-agent: *\n" * 90, "text/plain"))[1] == Fact(
        "starts", (), "User-agent: *"
    )


def test_of_measurements_nothing_is_asserted_but_what_they_are() -> None:
    page = text("# HELP calls_total Calls\ncalls_total 1.0\n", "text/plain; version=0.0.4")
    assert facts(page) == [OK, Fact("mimetype", (), "text/plain")]


EVENT = Response(
    200, (("Content-Type", "text/event-stream"),), b"data: 1\n\n", truncated=True, live=True
)


def piece_line(response: Response, unstable: Mapping[FactPath, str] | None = None) -> str:
    status, piece = assertion_lines(facts(response, unstable), "response", Layout())
    assert status == "    assert response.status_code == 200"
    return piece.strip()


def test_a_live_stream_is_asserted_by_its_first_piece() -> None:
    assert piece_line(EVENT) == r'assert piece == b"data: 1\n\n"'
    frame = replace(EVENT, body=b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + bytes(500))
    assert piece_line(frame) == r'assert piece.startswith(b"--frame\r\n")'
    assert piece_line(EVENT, {("text",): "random"}) == "assert piece"


def test_the_first_piece_is_read_once_before_it_is_asserted() -> None:
    test = build_test(Specimen((Exchange(GET, EVENT),)), Surroundings())
    assert print_test(replace(test, name="test_it"), Layout(), {})[1:] == [
        '    response = client.get("/things")',
        "    piece = next(response.iter_encoded())",
        "",
        "    assert response.status_code == 200",
        r'    assert piece == b"data: 1\n\n"',
    ]


def test_of_another_stream_without_an_end_nothing_is_asserted() -> None:
    assert facts(replace(EVENT, live=False)) == [OK]


def test_binary_body_is_asserted_by_its_type() -> None:
    assert facts(text(b"\x89PNG", "image/png")) == [OK, Fact("mimetype", (), "image/png")]


@pytest.mark.parametrize("mimetype", ["application/xml", "text/xml", "application/problem+xml"])
def test_xml_is_asserted_by_what_it_says(mimetype: str) -> None:
    answer = "<Error><Code>NoSuchBucket</Code><Message>No such bucket.</Message><Id>{}</Id></Error>"
    request = Request("GET", "/{bucket}")
    marks = {(0, ("text",)): "random"}
    again = {0: (answer.format("x2Hs81"), answer.format("i1V03q"))}
    exchange = Exchange(request, text(answer.format("q8Zk5f"), mimetype, 404))
    specimen = Specimen((exchange,), unstable=marks, again=again)

    found = list(act_facts(specimen, 0, Corpus()))

    assert found == [
        Fact("status", (), 404),
        Fact("xml-text", ("Code", ""), "NoSuchBucket"),
        Fact("xml-text", ("Message", ""), "No such bucket."),
    ]


def test_text_that_is_not_utf8_is_left_out() -> None:
    assert facts(text(b"caf\xe9", "text/plain")) == [OK]


def test_challenge_of_401_matters() -> None:
    response = Response(401, (("WWW-Authenticate", 'Basic realm="x"'),))

    assert facts(response)[1] == Fact("header", ("WWW-Authenticate",), 'Basic realm="x"')


def test_empty_success_is_asserted_empty() -> None:
    assert facts(Response(200)) == [OK, Fact("empty")]


def test_a_status_that_never_has_a_body_says_enough() -> None:
    assert facts(Response(204)) == [Fact("status", (), 204)]


def test_head_has_no_body() -> None:
    assert facts(text("x"), request=Request("HEAD", "/things")) == [OK]


def test_malformed_json_is_left_out() -> None:
    assert facts(text("{", "application/json")) == [OK]


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (OK, "assert response.status_code == 200"),
        (Fact("json", ("ok",), True), 'assert response.json["ok"] is True'),
        (Fact("json", (), None), "assert response.json is None"),
        (Fact("length", ("items",), 2), 'assert len(response.json["items"]) == 2'),
        (Fact("json-contains", ("a",), "Hi"), 'assert "Hi" in response.json["a"]'),
        (Fact("nan", ("x",)), 'assert math.isnan(response.json["x"])'),
        (Fact("contains", (), "Hi"), 'assert "Hi" in response.text'),
        (Fact("lacks", (), "Hi"), 'assert "Hi" not in response.text'),
        (Fact("starts", (), "Hi"), 'assert response.text.startswith("Hi")'),
        (Fact("empty"), 'assert response.data == b""'),
        (Fact("below", (), 500), "assert response.status_code < 500"),
        (Fact("mimetype", (), "image/png"), 'assert response.mimetype == "image/png"'),
        (Fact("json-keys", ("a",), ["b"]), 'assert sorted(response.json["a"]) == ["b"]'),
    ],
)
def test_facts_read_as_assertions(fact: Fact, line: str) -> None:
    assert assertion_lines([fact], "response", Layout()) == [f"    {line}"]


def test_read_after_the_act_is_asserted_by_what_the_act_changed() -> None:
    act = Exchange(Request("POST", "/create", form=(("title", "Kz"),)), Response(302))
    page = b"<h1>Posts</h1><h2>Old one</h2><h2>Kz</h2>"
    listed = Exchange(Request("GET", "/"), text(page))
    before = "<h1>Posts</h1><h2>Old one</h2>"
    specimen = Specimen((act,), follow_up=FollowUp(listed, before))

    found = act_facts(specimen, 1, Corpus())

    assert found == (Fact("status", (), 200), Fact("contains", (), ">Kz<"))


def test_read_after_a_deletion_is_asserted_by_what_is_gone() -> None:
    act = Exchange(Request("POST", "/1/delete"), Response(302))
    listed = Exchange(Request("GET", "/"), text("<h1>Posts</h1><h2>New one</h2>"))
    before = "<h1>Posts</h1><h2>Old one</h2><h2>New one</h2>"
    specimen = Specimen((act,), follow_up=FollowUp(listed, before))

    found = act_facts(specimen, 1, Corpus(wording=Wording.of("<h1>Posts</h1>")))

    assert Fact("lacks", (), "Old one") in found


def test_what_a_redirect_says_is_not_asserted_to_be_gone() -> None:
    act = Exchange(Request("POST", "/login"), Response(302))
    listed = Exchange(Request("GET", "/"), text("<h1>Posts</h1>"))
    before = "<h1>Redirecting...</h1><p>You should be redirected automatically to: /login.</p>"
    specimen = Specimen((act,), follow_up=FollowUp(listed, before))

    assert [one.kind for one in act_facts(specimen, 1, Corpus())] == ["status", "contains"]


def test_what_each_page_has_anew_is_not_asserted_to_be_gone() -> None:
    act = Exchange(Request("POST", "/recover"), Response(302))
    page = "<p>Your token is invalid!</p><p>Page: {} ms</p>"
    shown = Exchange(Request("GET", "/blank"), text(page.format("3.05")))
    specimen = Specimen(
        (act,),
        unstable={(1, ("text",)): "changes between runs"},
        again={1: (page.format("2.9"), page.format("12"))},
        follow_up=FollowUp(shown, "<p>Page: 2.06 ms</p>"),
    )

    found = act_facts(specimen, 1, Corpus())

    assert found == (Fact("status", (), 200), Fact("contains", (), "Your token is invalid!"))


def book(number: int, stock: int = 0) -> dict[str, object]:
    padding = {f"aspect_{place}": "x" * 60 for place in range(10)}
    return {"id": number, "type": "book", **padding, "shelf": "b", "stock": stock}


def listed_after_restocking(now: object, before: object) -> list[Fact]:
    act = Exchange(Request("POST", "/books/2/restock"), Response(302))
    listed = Exchange(Request("GET", "/books"), body(now))
    specimen = Specimen((act,), follow_up=FollowUp(listed, json.dumps(before)))
    return list(act_facts(specimen, 1, Corpus()))


def test_read_after_the_act_is_asserted_by_the_item_that_the_act_changed() -> None:
    before = [book(1), book(2), book(3)]

    found = listed_after_restocking([book(1), book(2, stock=5), book(3)], before)

    assert found[1:] == [
        Fact("length", (), 3),
        Fact("json", (1, "id"), 2),
        Fact("json", (1, "type"), "book"),
        Fact("json", (1, "stock"), 5),
    ]


def test_read_after_the_act_is_asserted_by_the_changed_item_inside_an_object() -> None:
    before = {"books": [book(1), book(2)], "note": "x" * 60}
    after = {**before, "books": [book(1), book(2), book(9)]}

    found = listed_after_restocking(after, before)

    assert Fact("length", ("books",), 3) in found
    assert Fact("json", ("books", 2, "id"), 9) in found


def test_item_that_an_earlier_call_created_is_asserted_rather_than_the_first() -> None:
    created = Reference(7, "created.json['id']", key="id", nouns=("thing",))
    listed = Exchange(GET, body([book(1), book(7)]))

    found = act_facts(Specimen((listed,)), 0, Corpus(), [created])

    assert Fact("json", (1, "id"), Expression("created.json['id']")) in found


def test_what_belongs_to_a_thing_has_an_identifier_of_its_own() -> None:
    """A key of PowerDNS-Admin has the number 1, and so has its role."""
    created = Reference(1, "created.json['id']", key="id", nouns=("thing",), is_used=True)
    thing = {"id": 1, "role": {"id": 1}, "parts": [{"id": 1}], "parent": {"thing": {"id": 1}}}
    found = Exchange(GET, body({"data": thing}))

    (_status, fact) = act_facts(Specimen((found,)), 0, Corpus(), [created])

    own = Expression("created.json['id']")
    parent = {"thing": {"id": 1}}
    expected = {"id": own, "role": {"id": 1}, "parts": [{"id": 1}], "parent": parent}
    assert fact.value == {"data": expected}


def test_date_of_today_is_not_asserted_unless_it_was_sent() -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())

    assert facts(text(f"on {today}", "text/plain")) == [OK]
    assert facts(body({"day": today})) == [OK]
    request = Request("POST", "/things", form=(("day", today),))
    assert facts(body({"day": today}), request=request)[1] == Fact("json", (), {"day": today})


def test_time_of_today_is_not_asserted_as_digits_unless_it_was_sent() -> None:
    changed = str((int(time.time()) - 60) * 10**9 + 7)
    assert facts(body({"changed": changed})) == [OK]
    request = Request("POST", "/things", form=(("changed", changed),))
    found = facts(body({"changed": changed}), request=request)
    assert found[1] == Fact("json", (), {"changed": changed})
    assert facts(body({"size": "4096"}))[1] == Fact("json", (), {"size": "4096"})


@pytest.mark.parametrize("status", [400, 415])
@pytest.mark.parametrize("as_json", [True, False])
def test_undeclared_json_is_refused_with_either_status(status: int, as_json: bool) -> None:
    said = (
        "Did not attempt to load JSON data because the request Content-Type was not"
        " 'application/json'."
    )
    response = (
        body({"code": status, "message": said}, status)
        if as_json
        else text(said, "text/html", status)
    )

    found = facts(response, request=Request("POST", "/things"))

    assert found == [Fact("status", (), (400, 415))]
    assert assertion_lines(found, "response", Layout()) == [
        "    assert response.status_code in (400, 415)"
    ]


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        (Fact("status", (), 200), {"status": 201}),
        (Fact("contains", (), "a pen"), {"body": b"a cup"}),
        (Fact("lacks", (), "a cup"), {"body": b"a cup"}),
        (Fact("text", (), "a pen"), {"body": b"a pen."}),
        (Fact("starts", (), "a pen"), {"body": b"no pen"}),
        (Fact("mimetype", (), "text/plain"), {"headers": ()}),
        (Fact("header", ("Allow",), "GET"), {"headers": (("Content-Type", "text/plain"),)}),
    ],
)
def test_a_fact_is_not_true_for_another_answer(fact: Fact, other: dict[str, Any]) -> None:
    headers = (("Content-Type", "text/plain"), ("Allow", "GET"))
    told = Response(200, headers, b"a pen")

    assert holds(fact, told, told)
    assert not holds(fact, told, replace(told, **other))


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        (Fact("json", ("name",), "pen"), {"name": "cup"}),
        (Fact("json", (), {"name": Unstable("clock"), "tags": ["a"]}), {"tags": ["a"]}),
        (Fact("json", (), {"name": Unstable("clock"), "tags": ["a"]}), {"name": "", "tags": []}),
        (Fact("json-keys", (), ["name", "tags"]), {"name": "pen"}),
        (Fact("json-contains", ("name",), "pe"), {"name": None}),
        (Fact("length", ("tags",), 1), {"tags": []}),
        (Fact("json", ("name",), "pen"), {}),
    ],
)
def test_a_fact_is_not_true_for_another_document(fact: Fact, other: object) -> None:
    headers = (("Content-Type", "application/json"),)
    told = Response(200, headers, b'{"name": "pen", "tags": ["a"]}')

    assert holds(fact, told, told)
    assert not holds(fact, told, Response(200, headers, json.dumps(other).encode()))
    assert not holds(fact, told, Response(200, (), told.body))


def test_words_of_libraries_are_not_asserted_of_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("marshmallow")
    monkeypatch.chdir(tmp_path)
    for name, module in list(sys.modules.items()):  # their texts are of another project
        if Path(getattr(module, "__file__", None) or "/").is_relative_to(Path(__file__).parents[3]):
            monkeypatch.delitem(sys.modules, name)
    says = "Missing data for required field."
    told = {"error": says, "field": "title"}
    page = f"<p>{says}</p><p>Nothing was ordered</p>".encode()

    plain = Response(400, (("Content-Type", "text/plain"),), says.encode())

    assert facts(body(told, 400))[1:] == [Fact("json", (), {**told, "error": Unstable("")})]
    assert facts(body(told, 200))[1:] == [Fact("json", (), told)]
    assert facts(Response(400, (("Content-Type", "text/html"),), page))[1:] == [
        Fact("contains", (), "Nothing was ordered")
    ]
    assert facts(plain)[1:] == []

    posted = Exchange(Request("POST", "/things"), Response(302, (("Location", "/things"),)))
    read = FollowUp(Exchange(GET, text(page)), "<p>No things</p>")
    follow_up = Specimen((posted,), follow_up=read)

    assert [one.value for one in act_facts(follow_up, 1, Corpus()) if one.kind == "contains"] == [
        "Nothing was ordered"
    ]
