"""Values that move by what two compared values lack."""

from __future__ import annotations

from datetime import date

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.inference import gene_for_scalar
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.composing.moving import moved
from pytest_evosearch.problem.http.composing.moving import steps_to
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.filling.hints import Evidence


def compared(relation: str, observed: object, wanted: object) -> Comparison:
    return Comparison("branch a.py:1 true", relation, observed, wanted)


def bodies(comparison: Comparison, **values: object) -> list[dict[str, object]]:
    """Return the bodies that forty moves of one call send."""
    fields = tuple(Field(name, gene_for_scalar(value)) for name, value in values.items())
    call = Call("POST /rows", (Input(Location.JSON, "", ObjectGene(fields)),), 1)
    exchange = Exchange(
        Request("POST", "/rows", json=values, has_json=True), Response(201, (), b"")
    )
    evidence = Evidence(Individual((call,)), (exchange,), 0.5, [comparison])
    rng, steps = Random(1), steps_to([comparison])
    found = [moved(evidence, steps, rng) for _ in range(40) if steps]
    return [one.calls[0].inputs[0].gene.value() for one in found if one is not None]


def test_what_is_lacking() -> None:
    assert steps_to([compared("==", 20, 0), compared("<", 1, 1), compared("in", 3, 4)]) == [-20]
    days = steps_to([compared("==", date(2024, 1, 16), date(2024, 1, 15))])
    assert [one.days for one in days if not isinstance(one, (int, float))] == [-1]
    assert steps_to([compared("==", True, False), compared("==", 1, "1")]) == []
    assert steps_to([compared("<", float("nan"), 1.0), compared("<", 1e300, 1.0)]) == []


def test_a_number_moves_by_the_difference() -> None:
    sent = [one["amount"] for one in bodies(compared("==", 20, 0), amount=1, name="x")]
    assert 21 in sent
    assert set(sent) <= {21, -19, 20, -18}


def test_all_days_of_a_call_move_together_or_one_alone() -> None:
    step = compared("==", date(2024, 1, 16), date(2024, 1, 17))
    sent = bodies(step, first="2024-01-15", last="2024-01-16", guests=2)
    assert {"first": "2024-01-16", "last": "2024-01-17", "guests": 2} in sent
    assert {"first": "2024-01-15", "last": "2024-01-17", "guests": 2} in sent
    assert {one["guests"] for one in sent} == {2}


def test_nothing_moves_where_nothing_is_lacking_or_nothing_can() -> None:
    assert bodies(compared("==", 3, 3), amount=1) == []
    assert bodies(compared("==", 3, 4), name="x", valid=True) == []
    assert bodies(compared("==", date.max, date.min), first="2024-01-15", note=7) == []


def test_a_linked_number_stays_and_a_linked_day_is_moved_from_what_it_was() -> None:
    fields = (
        Field("room", LinkGene(1, ("json", "id"), gene_for_scalar(1))),
        Field("first", LinkGene(1, ("json", "first"), gene_for_scalar("x"))),
    )
    make = Call("POST /rows", (), 1)
    call = Call("POST /rows", (Input(Location.JSON, "", ObjectGene(fields)),), 2)
    answer = Response(201, (("Content-Type", "application/json"),), b"{}")
    body = {"room": 4, "first": "2024-01-15"}
    exchanges = (
        Exchange(Request("POST", "/rows"), answer),
        Exchange(Request("POST", "/rows", json=body, has_json=True), answer),
    )
    for comparison, expected in (
        (compared("==", 4, 5), None),
        (compared("==", date(2024, 1, 2), date(2024, 1, 12)), "2024-01-25"),
    ):
        evidence = Evidence(Individual((make, call)), exchanges, 0.5, [comparison])
        steps = steps_to([comparison])
        found = [one for seed in range(20) if (one := moved(evidence, steps, Random(seed)))]
        sent = [one.calls[1].inputs[0].gene.value()["first"] for one in found]
        assert (expected in sent) if expected else not sent
