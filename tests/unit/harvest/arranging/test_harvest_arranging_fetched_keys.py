from __future__ import annotations

import json

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.arranging.fetched_keys import FetchedKeys
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene

KEY = "0cfc731ba325d2f2dcd774cdc061c055"
SELECTOR = ("json", "result", "api_key")
AUTH = Call("POST /auth", (), 1)
OTHERWISE = TextGene(current="a")


def keys(answer: object, constants: frozenset[object] = frozenset()) -> FetchedKeys:
    response = Response(200, (("Content-Type", "application/json"),), json.dumps(answer).encode())
    found = FetchedKeys(constants)
    found.note(Individual((AUTH,)), [Exchange(Request("POST", "/auth"), response)])
    return found


def reading(*genes: TextGene | LinkGene | PrefixedGene) -> Individual:
    inputs = tuple(Input(Location.QUERY, f"q{at}", gene) for at, gene in enumerate(genes))
    return Individual((Call("GET /volumes", inputs, 1),))


def test_key_is_fetched_once_by_the_call_that_hands_it_out() -> None:
    held = TextGene(current=KEY)
    test = keys({"result": {"api_key": KEY}}).fetched(reading(held, PrefixedGene(held, "Bearer ")))
    assert [call.endpoint for call in test] == ["POST /auth", "GET /volumes"]
    fetching, using = test
    assert fetching.label != using.label
    link = Link(fetching.label, SELECTOR, "a")
    assert [given.gene.value() for given in using.inputs] == [
        link,
        Link(fetching.label, SELECTOR, "a", "Bearer "),
    ]


def test_earlier_call_is_used_and_what_a_link_falls_back_to_is_no_key() -> None:
    found = keys({"result": {"api_key": KEY}})
    linked = LinkGene(1, SELECTOR, TextGene(current=KEY))
    inputs = (Input(Location.QUERY, "one", linked), Input(Location.QUERY, "two", linked.fallback))
    test = found.fetched(Individual((AUTH, Call("GET /volumes", inputs, 2))))
    assert [call.endpoint for call in test] == ["POST /auth", "GET /volumes"]
    assert {given.gene for given in test.calls[1].inputs} == {LinkGene(1, SELECTOR, OTHERWISE)}


def test_what_every_session_has_stays_as_it_is() -> None:
    for text, constants in ((KEY, [KEY]), ("a_long_name_that_means_something", [])):
        individual = reading(TextGene(current=text))
        found = keys({"result": {"api_key": text}}, frozenset(constants))
        assert found.fetched(individual) == individual
