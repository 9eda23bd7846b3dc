"""Requests of tests become individuals of the problem."""

from __future__ import annotations

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.composing.examples import ExampleCall
from pytest_evosearch.problem.http.composing.examples import ExampleTest
from pytest_evosearch.problem.http.composing.examples import Joined
from pytest_evosearch.problem.http.composing.examples import Part
from pytest_evosearch.problem.http.composing.seeding import individuals_from
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.request import build_request


def endpoint(key: str, name: str, *parameters: Parameter) -> Endpoint:
    method, _, template = key.partition(" ")
    return Endpoint(method, template, name, parameters)


ID = Parameter(Location.PATH, "id", IntegerGene(current=1), required=True)
NAME = Parameter(Location.PATH, "name", TextGene(current="a"), required=True)


def model() -> EndpointModel:
    return EndpointModel(
        [
            endpoint("POST /notes", "create"),
            endpoint("GET /notes/{id}", "notes.show", ID),
            endpoint("GET /notes/{name}", "by_name", NAME),
            endpoint("GET /notes/new", "new"),
        ]
    )


def sent(method: str, target: str | Joined, **options: object) -> ExampleCall:
    return ExampleCall(method, target, options)


def individuals(*calls: ExampleCall, known: EndpointModel | None = None) -> list[Individual]:
    return list(individuals_from([ExampleTest("test_it", calls)], known or model(), 10))


def requests(individual: Individual, known: EndpointModel) -> list[Request]:
    """Build the requests, as if every call were answered with the JSON ``{"id": 7}``."""
    answer = Response(200, (("Content-Type", "application/json"),), b'{"id": 7}')
    earlier: dict[int, tuple[int, Exchange]] = {}
    built = []
    for index, call in enumerate(individual.calls):
        request = build_request(call, known.endpoint(call.endpoint), earlier)
        earlier[call.label] = (index, Exchange(request, answer))
        built.append(request)
    return built


def test_links_carry_what_an_answer_gave_into_later_calls() -> None:
    known = model()
    part = Part(0, ("json", "id"))
    [individual] = individuals(
        sent("POST", "/notes", json={"text": "a"}),
        sent("GET", Joined(("/notes/", part)), headers={"X-Of": Joined(("note ", part))}),
        known=known,
    )
    create, show = requests(individual, known)
    assert create.json == {"text": "a"}
    assert show.path == {"id": 7}
    assert show.headers == (("X-Of", "note 7"),)
    assert show.origins[("path", "id")].call == 0


def test_links_inside_a_body_keep_the_rest_of_it() -> None:
    known = model()
    [individual] = individuals(
        sent("POST", "/notes", json={"text": "a"}),
        sent("POST", "/notes", json={"text": "b", "after": [Part(0, ("json", "id"))]}),
        known=known,
    )
    assert requests(individual, known)[1].json == {"text": "b", "after": [7]}


def test_the_most_literal_template_wins() -> None:
    [individual] = individuals(sent("GET", "/notes/new"))
    assert [call.endpoint for call in individual.calls] == ["GET /notes/new"]


def test_a_part_within_a_longer_piece_of_a_path_is_left_to_the_endpoint() -> None:
    known = model()
    target = Joined(("/notes/", Part(0, ("json", "id")), "-7"))
    [individual] = individuals(sent("GET", target), known=known)
    assert requests(individual, known)[0].path == {"id": 1}


def test_what_a_test_sends_becomes_a_parameter() -> None:
    known = model()
    data = {"text": "a", "file": [b"x", "n.png"]}
    [individual] = individuals(sent("POST", "/notes?draft=1", data=data), known=known)
    assert requests(individual, known)[0].files == (("file", Upload("n.png", b"x")),)
    found = {
        parameter.key: parameter.source for parameter in known.endpoint("POST /notes").parameters
    }
    assert found == {
        (Location.QUERY, "draft"): "test",
        (Location.FORM, "text"): "test",
        (Location.FILE, "file"): "test",
    }


def test_headers_of_the_framework_are_left_to_the_client() -> None:
    known = model()
    headers = {"Host": "localhost", "authorization": "Basic YW5uOnB3"}
    [individual] = individuals(sent("GET", "/notes/new", headers=headers), known=known)
    assert requests(individual, known)[0].headers == (("Authorization", "Basic YW5uOnB3"),)


def test_requests_that_no_endpoint_takes_are_left_out() -> None:
    [individual] = individuals(sent("GET", "/elsewhere"), sent("GET", "/notes/new"))
    assert len(individual) == 1
    assert individuals(sent("GET", "/elsewhere")) == []


def test_the_same_requests_are_sent_once() -> None:
    tests = [ExampleTest(name, (sent("GET", "/notes/new"),)) for name in ("test_a", "test_b")]
    assert len(list(individuals_from(tests, model(), 10))) == 1
