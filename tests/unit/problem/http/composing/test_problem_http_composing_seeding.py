"""Requests of the project's own tests become individuals of the problem."""

from __future__ import annotations

from textwrap import dedent
from textwrap import indent

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.examples.reader import read_tests
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


def individuals(body: str, known: EndpointModel | None = None) -> list[Individual]:
    source = "def test_it(client):\n" + indent(dedent(body), "    ")
    return list(individuals_from(read_tests({"test_it.py": source}), known or model(), 10))


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
    [individual] = individuals(
        """
        created = client.post("/notes", json={"text": "a"})
        client.get(f"/notes/{created.json['id']}", headers={"X-Of": "note " + created.json["id"]})
        """,
        known,
    )
    create, show = requests(individual, known)
    assert create.json == {"text": "a"}
    assert show.path == {"id": 7}
    assert show.headers == (("X-Of", "note 7"),)
    assert show.origins[("path", "id")].call == 0


def test_links_inside_a_body_keep_the_rest_of_it() -> None:
    known = model()
    [individual] = individuals(
        """
        first = client.post("/notes", json={"text": "a"})
        client.post("/notes", json={"text": "b", "after": [first.json["id"]], "who": nobody})
        """,
        known,
    )
    assert requests(individual, known)[1].json == {"text": "b", "after": [7]}


def test_the_most_literal_template_wins() -> None:
    [individual] = individuals('client.get("/notes/new")')
    assert [call.endpoint for call in individual.calls] == ["GET /notes/new"]


def test_an_unknown_piece_of_a_path_is_left_to_the_endpoint() -> None:
    known = model()
    [individual] = individuals('client.get(f"/notes/{note.id}")', known)
    assert requests(individual, known)[0].path == {"id": 1}


def test_url_for_names_the_endpoint() -> None:
    known = model()
    [individual] = individuals('client.get(url_for("notes.show", id=3, page=2))', known)
    [request] = requests(individual, known)
    assert (request.endpoint, request.path) == ("GET /notes/{id}", {"id": 3})
    assert request.query == (("page", 2),)


def test_what_a_test_sends_becomes_a_parameter() -> None:
    known = model()
    [individual] = individuals(
        'client.post("/notes?draft=1", data={"text": "a", "file": (BytesIO(b"x"), "n.png")})', known
    )
    assert requests(individual, known)[0].files == (("file", Upload("n.png", b"x")),)
    found = {
        parameter.key: parameter.source for parameter in known.endpoint("POST /notes").parameters
    }
    assert found == {
        (Location.QUERY, "draft"): "test",
        (Location.FORM, "text"): "test",
        (Location.FILE, "file"): "test",
    }


def test_an_account_becomes_a_header() -> None:
    known = model()
    [individual] = individuals('client.get("/notes/new", auth=("ann", "pw"))', known)
    assert requests(individual, known)[0].headers == (("Authorization", "Basic YW5uOnB3"),)


def test_requests_that_no_endpoint_takes_are_left_out() -> None:
    [individual] = individuals(
        """
        client.get("/elsewhere")
        client.get("/notes/new")
        """
    )
    assert len(individual) == 1
    assert individuals('client.get("/elsewhere")') == []


def test_the_same_requests_are_sent_once() -> None:
    source = "def test_a(client):\n    client.get('/notes/new')\n"
    tests = read_tests({"test_a.py": source, "test_b.py": source})
    assert len(list(individuals_from(tests, model(), 10))) == 1
