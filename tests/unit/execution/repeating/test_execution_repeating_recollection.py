from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.execution.repeating.recollection import Recollection
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Missing


def answered(template: str, status: int, **sent: object) -> Exchange:
    return Exchange(Request("GET", template, **sent), Response(status))  # type: ignore[arg-type]


def test_a_call_with_two_statuses_is_known() -> None:
    recollection = Recollection()
    recollection.note([answered("/a", 200)])
    assert recollection.contradicted([answered("/a", 200)]) == []
    recollection.note([answered("/a", 503)])
    recollection.note([answered("/a", 200)])
    assert recollection.contradicted([answered("/a", 200)]) == [0]
    assert recollection.contradicted([answered("/a", 200), answered("/b", 200)]) == [0]


def test_what_was_sent_before_or_with_it_makes_another_call() -> None:
    recollection = Recollection()
    recollection.note([answered("/a", 200)])
    recollection.note([answered("/b", 200), answered("/a", 404)])
    recollection.note([answered("/a", 400, query=(("n", 5),))])
    recollection.note([replace(answered("/a", 401), user="ann")])
    assert recollection.contradicted([answered("/a", 200)]) == []


def test_the_place_of_the_call_is_told() -> None:
    recollection = Recollection()
    recollection.note([answered("/b", 200), answered("/a", 200)])
    recollection.note([answered("/b", 200), answered("/a", 404)])
    recollection.note([answered("/b", 200), answered("/a", 200)])
    assert recollection.contradicted([answered("/b", 200), answered("/a", 404)]) == [1]


def test_a_status_that_changes_for_good_is_not_put_down_to_chance() -> None:
    recollection = Recollection()
    for status in (401, 401, 200, 200):
        recollection.note([answered("/a", status)])
    assert recollection.contradicted([answered("/a", 200)]) == []
    recollection.note([answered("/a", 401)])
    assert recollection.contradicted([answered("/a", 200)]) == [0]


def test_what_the_outside_decides_is_not_remembered() -> None:
    recollection = Recollection()
    down = (Missing("localhost:6379", "localhost", "connection refused"),)
    recollection.note([replace(answered("/a", 200), missing=down)])
    recollection.note([replace(answered("/a", 0), response=None, frozen=True)])
    recollection.note([answered("/a", 200)])
    assert recollection.contradicted([answered("/a", 200)]) == []


def test_other_requests_of_an_endpoint_with_two_statuses_for_one_are_doubtful() -> None:
    recollection = Recollection()
    recollection.note([answered("/a", 200)])
    recollection.note([answered("/a", 503)])
    assert recollection.doubts([answered("/a", 503, query=(("n", 5),))])
    assert not recollection.doubts([answered("/a", 404, query=(("n", 5),))])
    assert not recollection.doubts([answered("/b", 200)])
