"""Cookies that are gone when a browser was closed, and those that last."""

from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.doors.returning import fleeting_cookies
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response

SESSION = "session=eyJ; HttpOnly; Path=/"
LASTING = "remember=ada|9f; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/"


@pytest.mark.parametrize(
    ("cookies", "fleeting"),
    [
        ([SESSION, LASTING], ("session",)),
        (["remember=1; Max-Age=90", "a=1", "b=2"], ("a", "b")),
        ([SESSION], ()),
        ([LASTING], ()),
        ([SESSION, 'gone=""; Max-Age=0'], ()),
        (["part=1; Path=/part", LASTING], ()),
        ([], ()),
    ],
)
def test_cookies_without_an_end_are_fleeting_where_another_lasts(cookies, fleeting):
    headers = tuple(("Set-Cookie", cookie) for cookie in cookies)
    exchange = Exchange(Request("POST", "/login"), Response(200, headers, b"in"))
    assert fleeting_cookies(exchange) == fleeting
