"""Other values for the input that a refused call read last."""

from __future__ import annotations

from dataclasses import replace

from toy_application import answer

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.filling.likely_values import examples_in
from pytest_evosearch.problem.http.filling.likely_values import likely_values
from pytest_evosearch.problem.http.filling.pool import ValuePool

ORDER = Individual(
    (Call("POST /orders", (Input(Location.JSON, "", TextGene(current="zz")),), 1),),
)


def refused(body: bytes, *read: str, status: int = 422) -> Exchange:
    """Return an order that was refused, after the fields `read` were read."""
    return Exchange(
        Request("POST", "/orders", json={"day": "zz"}, has_json=True),
        replace(answer(status), body=body),
        reads=tuple(Read("json", (name,), True) for name in read),
    )


def test_a_refusal_names_examples() -> None:
    refusal = refused(b'{"error":"a day is like 2024-05-06"}', status=400)

    assert examples_in(refusal)[0] == "2024-05-06"
    assert examples_in(replace(refusal, response=replace(refusal.response, status=200))) == []


def test_field_that_was_read_last_gets_known_values_then_examples_then_common_ones() -> None:
    pool = ValuePool()
    pool.add_stored("day", "2031-07-01")

    hints = list(likely_values(pool, ORDER, [refused(b"a day is like 2024-05-06", "card", "day")]))

    assert {hint.value_path for hint in hints} == {("day",)}
    assert [hint.value for hint in hints][:2] == ["2031-07-01", "2024-05-06"]
    assert 1 in [hint.value for hint in hints]


def test_nothing_is_proposed_where_nothing_was_read() -> None:
    assert list(likely_values(ValuePool(), ORDER, [refused(b"no")])) == []
