from __future__ import annotations

import json

import pytest

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.arranging.cut_links import without_incredible_links
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.links import LinkGene

SELECTOR = ("json", "id")
CREATED = Exchange(
    Request("POST", "/accounts"),
    Response(201, (("Content-Type", "application/json"),), json.dumps({"id": 7}).encode()),
)


def linked(location: Location, name: str) -> Individual:
    link = LinkGene(label=1, selector=SELECTOR, fallback=IntegerGene())
    return Individual(
        (
            Call("POST /accounts", (), 1),
            Call("POST /deposits", (Input(location, name, link),), 2),
        )
    )


def executed(place: str, name: str) -> list[Exchange]:
    origins = {(place, name): Origin(0, SELECTOR)}
    return [CREATED, Exchange(Request("POST", "/deposits", origins=origins), None)]


def test_a_coincidence_becomes_the_value_that_was_sent() -> None:
    cut = without_incredible_links(linked(Location.QUERY, "amount"), executed("query", "amount"))

    assert cut.calls[1].inputs[0].gene.value() == 7


def test_an_identifier_stays_linked() -> None:
    individual = linked(Location.QUERY, "account_id")

    assert without_incredible_links(individual, executed("query", "account_id")) == individual


def looked_up(template: str, status: int, *before: Exchange) -> Individual:
    """Return the test of an address with the id of an account, after its links were cut."""
    link = LinkGene(label=1, selector=SELECTOR, fallback=IntegerGene())
    calls = [Call("POST /accounts", (), 1)]
    calls += [Call(one.request.endpoint, (), 5 + at) for at, one in enumerate(before)]
    calls += [Call(f"GET {template}", (Input(Location.PATH, "id", link),), 2)]
    return without_incredible_links(
        Individual(tuple(calls)), [CREATED, *before, under(template, "GET", status)]
    )


def under(template: str, method: str, status: int) -> Exchange:
    origins = {("path", "id"): Origin(0, SELECTOR)}
    request = Request(method, template, path={"id": 7}, origins=origins)
    return Exchange(request, Response(status))


def test_an_id_under_which_nothing_else_is_found_becomes_a_number() -> None:
    cut = looked_up("/comments/{id}", 404)
    assert cut.calls[-1].inputs[0].gene.value() == 7


@pytest.mark.parametrize(
    ("template", "status", "before"),
    [
        ("/comments/{id}", 200, ()),
        ("/accounts/{id}", 404, ()),
        ("/members/{id}", 404, (under("/members/{id}", "DELETE", 204),)),
    ],
)
def test_an_id_that_once_meant_something_stays_linked(template, status, before) -> None:
    cut = looked_up(template, status, *before)
    assert isinstance(cut.calls[-1].inputs[0].gene, LinkGene)


NAME = TextGene(current="a")


def answer(value: object) -> Response:
    headers = (("Content-Type", "application/json"),)
    return Response(200, headers, json.dumps(value).encode())


def named(endpoint: str, label: int, giver: int) -> Call:
    link = LinkGene(giver, ("json", "name"), NAME)
    return Call(endpoint, (Input(Location.PATH, "name", link),), label)


def sent(method: str, template: str, name: str, giver: int) -> Request:
    origins = {("path", "name"): Origin(giver, ("json", "name"))}
    return Request(method, template, path={"name": name}, origins=origins)


def test_a_link_to_an_echo_goes_to_where_the_value_comes_from() -> None:
    uploading, reading = named("POST /upload/{name}", 2, 1), named("GET /{name}/raw", 3, 2)
    individual = Individual((Call("POST /new", (), 1), uploading, reading))
    told = answer({"name": "V79CiwE7"})
    exchanges = [
        Exchange(Request("POST", "/new"), told),
        Exchange(sent("POST", "/upload/{name}", "V79CiwE7", 0), told),
        Exchange(sent("GET", "/{name}/raw", "V79CiwE7", 1), None),
    ]

    linked = without_incredible_links(individual, exchanges)

    assert linked.calls[:2] == individual.calls[:2]
    assert linked.calls[2].inputs[0].gene.value() == Link(1, ("json", "name"), "a")
