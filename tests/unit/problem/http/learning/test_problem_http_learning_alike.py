"""Answers that many addresses share, and those that a key has shown to be refusals."""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.learning.alike import CROWD
from pytest_evosearch.problem.http.learning.alike import AlikeAnswers
from pytest_evosearch.problem.http.learning.alike import answer_of


def exchange(name, text, status=200):
    request = Request("GET", f"/{name}")
    return Exchange(request, Response(status, (("Content-Type", "text/plain"),), text.encode()))


def test_endpoint_is_only_alike_while_others_give_all_its_answers():
    alike = AlikeAnswers()
    names = [f"page{number}" for number in range(CROWD)]
    for name in names[:-1]:
        alike.learn(exchange(name, "who are you?"))
    assert not alike.is_only_alike("GET /page0")

    alike.learn(exchange(names[-1], "who are you?"))
    assert alike.is_only_alike("GET /page0")

    alike.learn(exchange("page0", "welcome"))
    assert not alike.is_only_alike("GET /page0")
    assert not alike.is_only_alike("GET /elsewhere")


def test_noted_refusal_is_known_again_whatever_its_status_and_numbers():
    alike = AlikeAnswers()
    first = exchange("a", "no, request 17")
    alike.learn(first)
    assert not alike.refuses(first)

    answer = answer_of(first)
    assert answer is not None
    assert alike.note_refusal(answer) == ["GET /a"]
    assert alike.refuses(exchange("b", "no, request 18"))
    assert not alike.refuses(exchange("b", "yes"))
    assert not alike.refuses(exchange("b", "no, request 18", status=404))


def test_empty_success_says_nothing():
    assert answer_of(exchange("a", "")) is None
    assert answer_of(exchange("a", "", status=403)) == (403, "")
