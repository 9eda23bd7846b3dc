"""Tests take what was mailed from an outbox."""

from __future__ import annotations

import re

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Mail
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.mailed import is_mailed
from pytest_evosearch.write.content.mailed import mail_code
from pytest_evosearch.write.content.mailed import takes_from_mails
from pytest_evosearch.write.content.mailed import variable_named
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.printing import print_test

WELCOME = Mail("Come to http://localhost/confirm/t0k.en-1.", "")
REGISTER = Exchange(Request("POST", "/register"), Response(302), mails=(WELCOME,))
OTHER = Exchange(Request("POST", "/invite"), Response(204), mails=(Mail("Hello", ""),) * 2)


@pytest.mark.parametrize(
    ("mail", "selector", "code"),
    [
        (
            Mail("http://x/confirm/abc", ""),
            ("mail", "/confirm/{token}", "token"),
            r're.search(r"/confirm/([\w.-]+)", outbox[-1].body)[1]',
        ),
        (
            Mail("no address", '<a href="http://x/u/7/join/abc">'),
            ("mail", "/u/{id}/join/{key}", "key"),
            r're.search(r"/u/[^/]+/join/([\w.-]+)", outbox[-1].html)[1]',
        ),
        (
            Mail("http://x/reset?key=abc", ""),
            ("mail", "/reset", "key"),
            r're.search(r"key=([\w.-]+)", outbox[-1].body)[1]',
        ),
        (
            Mail("Come to http://x/confirm/abc.", ""),
            ("mail", "/confirm/{token}", "token"),
            r're.search(r"/confirm/([\w.-]+[\w-])", outbox[-1].body)[1]',
        ),
        (
            Mail("http://x/reset-password?a[0]=abc", ""),
            ("mail", "/reset-password", "a[0]"),
            r're.search(r"a\[0\]=([\w.-]+)", outbox[-1].body)[1]',
        ),
        (
            Mail("http://x/v1.0/reset-password/abc", ""),
            ("mail", "/v1.0/reset-password/{key}", "key"),
            r're.search(r"/v1\.0/reset-password/([\w.-]+)", outbox[-1].body)[1]',
        ),
        (
            Mail("http://x/a(b/abc", ""),
            ("mail", "/a(b/{key}", "key"),
            r're.search(r"/a\(b/([\w.-]+)", outbox[-1].body)[1]',
        ),
        (Mail("http://x/confirm/abc+d", ""), ("mail", "/confirm/{token}", "token"), None),
    ],
)
def test_code_finds_the_value(mail: Mail, selector: tuple[str, ...], code: str | None) -> None:
    sent = Exchange(Request("POST", "/register"), Response(302), mails=(mail,))
    value = "abc" if code else "abc+d"

    found = mail_code([sent], Origin(0, selector), 1, value)

    assert found == code
    if code is not None:
        assert is_mailed(code)
        assert eval(code, {"re": re, "outbox": [mail]}) == value


def test_mails_are_counted_from_the_last_one_before_the_call() -> None:
    origin = Origin(0, ("mail", "/confirm/{token}", "token"))

    code = mail_code([REGISTER, OTHER, OTHER], origin, 2, "t0k.en-1")

    assert "outbox[-3]" in (code or "")


def test_a_variable_is_called_after_the_parameter() -> None:
    assert variable_named("token", ["client"]) == "token"
    assert variable_named("token", ["token"]) == "mailed_token"
    assert variable_named("from", []) == "mailed"


def test_a_test_asks_for_the_outbox_and_reads_it_before_the_call() -> None:
    request = Request(
        "GET",
        "/confirm/{token}",
        {"token": "t0k.en-1"},
        origins={("path", "token"): Origin(0, ("mail", "/confirm/{token}", "token"))},
    )
    specimen = Specimen((REGISTER, Exchange(request, Response(200))))

    test = build_test(specimen, Surroundings())
    twice = build_test(
        Specimen((*specimen.exchanges, Exchange(request, Response(404)))), Surroundings()
    )

    assert takes_from_mails(specimen.steps)
    assert test.fixtures == ("client", "outbox")
    assert test.calls[1].mailed == (
        r'token = re.search(r"/confirm/([\w.-]+[\w-])", outbox[-1].body)[1]',
    )
    assert print_test(test, Layout(), {})[-4:] == [
        r'    token = re.search(r"/confirm/([\w.-]+[\w-])", outbox[-1].body)[1]',
        '    found = client.get(f"/confirm/{token}")',
        "    assert found.status_code == 200",
        '    assert found.data == b""',
    ]
    assert [len(call.mailed) for call in twice.calls] == [0, 1, 0]
    assert not takes_from_mails([REGISTER])
