"""The learnt verdict, and how it is noted on exchanges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.learning.alike import answer_of
from pytest_evosearch.problem.http.learning.learnt_refusals import Refusals

RESOURCES = Resources([Endpoint("POST", "/login", "login"), Endpoint("GET", "/a", "a")])


def answered(status: int, text: str = "", location: str = "", key: str = "GET /a") -> Exchange:
    method, _, template = key.partition(" ")
    headers = (("Location", location),) if location else ()
    return Exchange(Request(method, template), Response(status, headers, text.encode()))


@pytest.mark.parametrize(
    ("exchange", "refused"),
    [
        (answered(401), True),
        (answered(403), True),
        (answered(302, location="/login?next=/a"), True),
        (answered(302, location="/b"), False),
        (answered(200, "fine"), False),
        (answered(400, "wrong"), False),
    ],
)
def test_http_itself_says_what_nothing_was_learnt_of(exchange: Exchange, refused: bool) -> None:
    assert turns_away(exchange) is refused
    assert turns_away(Refusals(RESOURCES, {}).marked(exchange)) is refused


def test_a_log_in_that_fails_is_sent_to_itself() -> None:
    again = answered(302, location="/login", key="POST /login")
    assert turns_away(again)
    assert not turns_away(Refusals(RESOURCES, {}).marked(again))


@pytest.mark.parametrize("status", [200, 400, 418])
def test_a_learnt_refusal_amounts_to_401(status: int) -> None:
    refusals = Refusals(RESOURCES, {})
    refusals.alike.note_refusal((status, "who are you?"))

    marked = refusals.marked(answered(status, "who are you?"))
    assert turns_away(marked)
    assert marked.status == 401
    assert marked.response is not None
    assert marked.response.status == status
    assert refusals.marked(answered(status, "hello")).status == status


def test_a_crash_turns_no_caller_away_though_another_crash_was_once_taken_for_a_wall() -> None:
    refusals = Refusals(RESOURCES, {})
    broken = answered(500, "Internal Server Error")
    answer = answer_of(broken)
    assert answer is not None
    refusals.alike.note_refusal(answer)
    crashed = replace(broken, crash=Crash("ValueError", "builtins", "no", "app.py", 7, "show", ""))
    assert refusals.refuses_caller(broken)
    assert not refusals.refuses_caller(crashed)
