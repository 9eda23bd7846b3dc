"""Changes of the structure of a test."""

from __future__ import annotations

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import link_of
from pytest_evosearch.problem.http.http_problem import HttpProblem

CREATE, CONFIRM = "POST /bookings", "POST /bookings/{id}/confirm"


def rounds(most_calls: int) -> list[list[tuple[str, int | None]]]:
    """Return the endpoint and the linked label of each call, of all mutants with four calls."""
    endpoints = [Endpoint("POST", one[5:], "toy") for one in (CREATE, CONFIRM)]
    structure = HttpProblem(endpoints, max_calls=most_calls)._mutator._structure
    link = LinkGene(7, ("json", "id"), IntegerGene())
    test = Individual((Call(CREATE, (), 7), Call(CONFIRM, (Input(Location.PATH, "id", link),), 8)))
    found = [structure.mutate(test, Random(seed), None) for seed in range(80)]
    return [
        [(call.endpoint, _label(call)) for call in one.calls]
        for one in found
        if one is not None and len(one) == 4
    ]


def _label(call: Call) -> int | None:
    link = link_of(call.inputs[0].gene) if call.inputs else None
    return None if link is None else link.label


def test_everything_is_done_once_more_with_a_resource_of_its_own() -> None:
    again = [(CREATE, None), (CONFIRM, 7), (CREATE, None), (CONFIRM, 9)]
    assert again in rounds(most_calls=4)


def test_there_is_no_second_round_where_it_has_no_room() -> None:
    assert rounds(most_calls=3) == []
