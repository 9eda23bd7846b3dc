"""Addresses read by the rules of the application, and the locations that lead to parameters."""

from __future__ import annotations

from random import Random

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.addresses import Place
from pytest_evosearch.problem.http.learning.addresses import Step
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog


def at(method: str, template: str, name: str = "name") -> Endpoint:
    parameters = (Parameter(Location.PATH, name, TextGene()),) if "{" in template else ()
    return Endpoint(method, template, template, parameters)


PASTE = at("POST", "/+paste")
SHOW = at("GET", "/{name}")
RAW = at("GET", "/{name}/raw")
ITEM = at("GET", "/api/items/{name}")
USER = at("GET", "/users/{id}", "id")
ENDPOINTS = (PASTE, SHOW, RAW, ITEM, USER)


@pytest.fixture
def book() -> AddressBook:
    return AddressBook(EndpointModel([*ENDPOINTS, at("GET", "/new"), at("GET", "/{name}.txt")]))


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("/x7%20z", [Step(Place("/", "name"), -1, "x7 z")]),
        ("/x7/raw", [Step(Place("/", "name"), 0, "x7")]),
        ("/api/items/x7", [Step(Place("/api/items/", "name"), -1, "x7")]),
        ("/new", []),  # what has fewer parameters comes first
        ("/api/nothing/x7", None),
        ("", None),
    ],
)
def test_segments_are_values_of_parameters(
    book: AddressBook, path: str, steps: list[Step] | None
) -> None:
    assert book.steps_in(path) == steps


def test_part_of_a_segment_is_a_value_and_no_step() -> None:
    book = AddressBook(EndpointModel([at("GET", "/{name}.txt")]))

    assert book.values_in("/x7.txt") == [("name", "x7")]
    assert book.steps_in("/x7.txt") == []


def test_endpoint_is_found_by_its_method(book: AddressBook) -> None:
    assert book.endpoint_at("POST", "/+paste") == "POST /+paste"
    assert book.endpoint_at("POST", "/nowhere") is None


def sent_to(location: str, request: Request) -> Exchange:
    return Exchange(request, Response(302, (("Location", location),), b""))


@pytest.fixture
def catalog() -> ProducerCatalog:
    model = EndpointModel(ENDPOINTS)
    return ProducerCatalog(model, ValuePool(), AddressBook(model))


def test_location_feeds_the_parameter_that_it_leads_to(catalog: ProducerCatalog) -> None:
    news = catalog.learn(sent_to("http://localhost/x7#top", Request("POST", "/+paste")))

    assert catalog.led_to(news) == ["GET /{name}", "GET /{name}/raw"]
    [there] = catalog.candidates("GET /{name}/raw", Location.PATH, "name")
    [elsewhere] = catalog.candidates("GET /api/items/{name}", Location.PATH, "name")
    assert there.product.selector == elsewhere.product.selector == ("location", -1)
    assert there.weight > 10 * elsewhere.weight > 0
    assert catalog.candidates("GET /users/{id}", Location.PATH, "id") == []


def test_location_in_which_the_value_is_not_last(catalog: ProducerCatalog) -> None:
    [product] = catalog.learn(sent_to("/x7/raw", Request("POST", "/+paste")))

    assert product.selector == ("location", 0)
    assert product.name == "name"


def test_location_at_which_no_endpoint_is_known_ends_with_an_id(catalog: ProducerCatalog) -> None:
    news = catalog.learn(sent_to("/v2/shops/users/7", Request("POST", "/users")))

    assert [(one.name, one.numeric, one.place) for one in news] == [("id", True, None)]
    assert catalog.led_to(news) == []


def test_what_was_sent_is_no_news(catalog: ProducerCatalog) -> None:
    assert catalog.learn(sent_to("/x7", Request("GET", "/{name}/raw", path={"name": "x7"}))) == []


def test_what_a_location_leads_to_is_tried_at_once_with_its_value() -> None:
    problem, rng = HttpProblem(ENDPOINTS), Random(1)
    while problem.visit(rng) is not None:
        pass
    call = Call(PASTE.key, (), 1)
    individual = Individual((call,))
    exchange = sent_to("/x7", Request("POST", "/+paste"))
    observation = Observation(individual, (exchange,), ())

    problem.learn(Evaluation(individual, {}, (1, 0), observation))

    tried = [problem.visit(rng), problem.visit(rng)]
    assert [one and one.calls[-1].endpoint for one in tried] == [SHOW.key, RAW.key]
    assert all(one and one.calls[0].endpoint == PASTE.key for one in tried)
