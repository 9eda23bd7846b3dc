"""Calls make the row that a test would put into a table itself."""

from __future__ import annotations

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.harvest.arranging.made_rows import MOST_CHANGES
from pytest_evosearch.harvest.arranging.made_rows import MadeRows
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import linked_labels

SELECTOR = ("json", "id")
NUMBER = IntegerGene(current=1)
ORDER = Call("POST /orders", (), 1)
ROW = Input(Location.ROW, "shop.Order", NUMBER)


def linked(endpoint: str, label: int) -> Call:
    return Call(endpoint, (Input(Location.PATH, "id", LinkGene(1, SELECTOR, NUMBER)),), label)


ADVANCE = linked("POST /orders/{id}/advance", 2)


def with_row(endpoint: str) -> Individual:
    return Individual((Call(endpoint, (Input(Location.PATH, "id", NUMBER), ROW), 1),))


def learnt(*calls: Call, statuses: tuple[int, ...] = ()) -> MadeRows:
    made = MadeRows()
    exchanges = [
        Exchange(Request("POST", call.endpoint.split()[1]), Response(status, (), b""))
        for call, status in zip(calls, statuses or [200] * len(calls), strict=True)
    ]
    made.note(Individual(calls), exchanges)
    return made


def endpoints(test: Individual) -> list[str]:
    return [call.endpoint for call in test]


def test_the_call_that_hands_out_the_id_comes_first_then_calls_that_change_it() -> None:
    made = learnt(ORDER, ADVANCE, linked("DELETE /orders/{id}", 3))
    found = list(made.variants(with_row("DELETE /orders/{id}")))
    assert endpoints(found[0]) == ["POST /orders", "DELETE /orders/{id}"]
    assert ["POST /orders", *[ADVANCE.endpoint] * MOST_CHANGES, "DELETE /orders/{id}"] in [
        endpoints(test) for test in found
    ]


def test_all_calls_take_the_id_of_the_one_that_was_made_and_need_no_row() -> None:
    for test in learnt(ORDER, ADVANCE).variants(with_row(ADVANCE.endpoint)):
        labels = [call.label for call in test]
        assert len(set(labels)) == len(labels)
        for call in test.calls:
            assert all(given.location is not Location.ROW for given in call.inputs)
            assert set(linked_labels(call.inputs)) <= {labels[0]}


def test_other_calls_that_change_something_are_tried_before_an_act_that_takes_nothing() -> None:
    listing = Individual((Call("GET /orders", (ROW,), 1),))
    found = [endpoints(test) for test in learnt(ORDER, ADVANCE).variants(listing)]
    assert found == [
        ["POST /orders", "GET /orders"],
        ["POST /orders", ADVANCE.endpoint, "GET /orders"],
    ]


def test_what_was_refused_makes_nothing() -> None:
    made = learnt(ORDER, ADVANCE, statuses=(400, 404))
    assert not list(made.variants(with_row(ADVANCE.endpoint)))


def test_a_test_without_rows_stays_as_it_is() -> None:
    assert not list(learnt(ORDER, ADVANCE).variants(Individual((ORDER, ADVANCE))))
