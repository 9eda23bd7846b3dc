from __future__ import annotations

import base64
from typing import Any

from pytest_evosearch.sut.browser.asked_requests import answer
from pytest_evosearch.sut.browser.asked_requests import led_on
from pytest_evosearch.sut.browser.asked_requests import recorded


def asked(target: str, body: bytes = b"", **headers: str) -> dict[str, Any]:
    """Return a request as the driver hands it over."""
    return {
        "request": "POST" if body else "GET",
        "target": target,
        "headers": {name.replace("_", "-"): text for name, text in headers.items()},
        "cookies": {"session": "a", "theme": "dark"},
        "body": base64.b64encode(body).decode(),
    }


def test_json_stays_json_and_only_headers_of_scripts_stay() -> None:
    headers = {"content_type": "application/json", "x_mark": "7", "sec_fetch_mode": "cors"}
    sent = asked("/api/notes?a=1&a=2", b'{"n": [1]}', accept="*/*", **headers)
    request = recorded(sent, {"session"}, {"accept", "content-type"})
    assert (request.method, request.path) == ("POST", "/api/notes")
    assert request.query == (("a", "1"), ("a", "2"))
    assert request.body == {"json": {"n": [1]}}
    assert request.headers == (("x-mark", "7"),)
    assert request.cookies == (("theme", "dark"),)


def test_a_form_becomes_fields() -> None:
    kind = "application/x-www-form-urlencoded"
    assert recorded(asked("/a%20b", b"x=1&y=", content_type=kind)).body == {
        "data": {"x": "1", "y": ""}
    }
    assert recorded(asked("/a%20b")).path == "/a b"


def test_an_answer_keeps_each_cookie() -> None:
    headers = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Length", "4")]
    said = answer(200, headers, b"text")
    assert said["headers"] == {"set-cookie": "a=1\nb=2"}
    assert base64.b64decode(said["body"]) == b"text"


def test_a_redirect_becomes_a_page_that_goes_on_and_sets_its_cookies() -> None:
    said = led_on([("Set-Cookie", "a=1"), ("Location", "/x")], '/x?a=1&b="2"')
    assert said["status"] == 200
    assert said["headers"] == {"set-cookie": "a=1", "content-type": "text/html"}
    assert b'content="0;url=/x?a=1&amp;b=&quot;2&quot;"' in base64.b64decode(said["body"])
