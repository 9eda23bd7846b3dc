from __future__ import annotations

from random import Random

import pytest
from toy_application import answer

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import FileGene
from pytest_evosearch.genes.wrong import deliberately_wrong
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.exchanges.seen_inside import Validation
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.learning.validations import ValidationLearner

POST = Endpoint("POST", "/orders", "orders")


def exchange(
    *validations: Validation, reads: tuple[Read, ...] = (), routed: bool = True
) -> Exchange:
    request = Request(POST.method, POST.template)
    return Exchange(request, answer(422), reads=reads, validations=validations, routed=routed)


def demanded(location: str, path: tuple[str | int, ...] = (), **properties: object) -> Validation:
    return Validation(location, path, {"type": "object", "properties": properties})


def learnt(*validations: Validation, known: tuple[Parameter, ...] = ()) -> EndpointModel:
    model = EndpointModel([Endpoint("POST", "/orders", "orders", known)])
    ValidationLearner(model).learn(exchange(*validations))
    return model


def gene_of(model: EndpointModel, location: Location, name: str = "") -> Gene:
    parameter = model.parameter(POST.key, (location, name))
    assert parameter is not None
    return parameter.gene


def field_of(model: EndpointModel, *path: str) -> Gene:
    gene = gene_of(model, Location.JSON)
    for name in path:
        if isinstance(gene, OptionalGene):
            gene = gene.gene
        assert isinstance(gene, ObjectGene)
        field = gene.field(name)
        assert field is not None
        gene = field.gene
    return gene.gene if isinstance(gene, OptionalGene) else gene


def test_a_body_becomes_a_parameter():
    schema = {
        "type": "object",
        "properties": {"amount": {"$ref": "#/$defs/amount"}, "note": {"type": "string"}},
        "required": ["amount"],
        "$defs": {"amount": {"type": "integer", "minimum": 7}},
    }

    body = gene_of(learnt(Validation("json", (), schema)), Location.JSON)

    assert isinstance(body, ObjectGene)
    assert body.fields[0] == Field("amount", IntegerGene(7, None, 7))
    assert not body.fields[1].required


def test_a_part_of_a_body_goes_to_its_place():
    model = learnt(demanded("json", ("items", 0, "price"), net={"type": "integer", "minimum": 7}))

    assert gene_of(model, Location.JSON).value() == {"items": [{"price": {"net": 7}}]}


def test_names_outside_of_json_become_parameters_of_their_own():
    schema = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "nullable": True},
            "photo": {"type": "string", "format": "binary"},
            "inner": {"type": "object"},
            "owner": {"type": "object", "properties": {"age": {"type": "integer"}}},
        },
        "required": ["size"],
    }

    model = learnt(
        Validation("form", (), schema), demanded("header", **{"x-key": {"type": "string"}})
    )

    assert gene_of(model, Location.FORM, "size") == IntegerGene(current=1)
    assert isinstance(gene_of(model, Location.FILE, "photo"), FileGene)
    assert isinstance(gene_of(model, Location.FORM, "inner"), TextGene)
    assert gene_of(model, Location.FORM, "owner").value() == '{"age":1}'
    assert isinstance(gene_of(model, Location.HEADER, "X-Key"), TextGene)
    assert [each.required for each in model.endpoint(POST.key).parameters] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_a_guess_gives_way_to_a_type_but_helps_where_any_text_is_taken():
    known = Parameter(
        Location.JSON,
        "",
        ObjectGene(
            (
                Field("date", DateGene()),
                Field("mail", EmailGene()),
                Field("password", TextGene(current="Passw0rd-1")),
                Field("pin", TextGene(current="a")),
                Field("read_elsewhere", TextGene(current="a")),
            )
        ),
        source="read",
    )

    model = learnt(
        demanded(
            "json",
            date={"type": "integer"},
            mail={"type": "string"},
            password={"type": "string", "minLength": 8},
            pin={"type": "string", "minLength": 4},
            url={"type": "string"},
        ),
        known=(known,),
    )

    assert field_of(model, "date") == IntegerGene(current=1)
    assert field_of(model, "mail") == EmailGene()
    assert field_of(model, "password") == TextGene(8, current="Passw0rd-1")
    assert field_of(model, "pin") == TextGene(4, current="aaaa")
    assert str(field_of(model, "url").value()).startswith("http")
    assert field_of(model, "read_elsewhere") == TextGene(current="a")


def test_what_a_page_offers_stays():
    known = Parameter(Location.FORM, "colour", EnumGene(("red", "blue")), source="html")

    model = learnt(demanded("form", colour={"type": "string"}), known=(known,))

    assert gene_of(model, Location.FORM, "colour") == EnumGene(("red", "blue"))


def test_a_document_and_a_validator_say_more_together():
    body = ObjectGene((Field("size", IntegerGene()), Field("note", TextGene())))
    known = Parameter(Location.JSON, "", body, source="schema")

    model = learnt(demanded("json", size={"type": "integer", "minimum": 3}), known=(known,))

    assert field_of(model, "size") == IntegerGene(3, None, 3)
    assert field_of(model, "note") == TextGene()


def test_news_are_told_once_and_only_of_the_right_endpoint():
    model = EndpointModel([POST])
    learner = ValidationLearner(model)
    seen = exchange(demanded("query", page={"type": "integer"}))

    learner.learn(exchange(demanded("query", lost={"type": "integer"}), routed=False))
    assert model.take_changed() == []
    learner.learn(seen)
    assert model.take_changed() == [POST.key]
    learner.learn(seen)
    assert model.take_changed() == []


def test_a_layout_shapes_dates():
    day = {"type": "string", "format": "date", "x-layout": "%d/%m/%Y"}
    moment = {"type": "string", "format": "date-time", "x-layout": "%Y-%m-%d %H:%M"}

    model = learnt(demanded("form", day=day, moment=moment))

    assert gene_of(model, Location.FORM, "day") == DateGene("%d/%m/%Y", "01/01/2000")
    assert gene_of(model, Location.FORM, "moment") == DateTimeGene(
        "%Y-%m-%d %H:%M", "2000-01-01 00:00"
    )


def test_the_search_goes_back_to_an_endpoint_that_was_caught_validating():
    problem = HttpProblem([POST])
    rng = Random(1)
    individual = Individual((Call(POST.key, (), 1),))
    seen = exchange(demanded("json", size={"type": "integer", "minimum": 500}))

    problem.learn(Evaluation(individual, {}, 1, Observation(individual, (seen,))))
    calls = [problem.sample(rng).calls[-1] for _ in range(4)]

    assert any(call.inputs and call.inputs[0].gene.value() == {"size": 500} for call in calls)


@pytest.mark.parametrize(
    ("schema", "broken"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 9}, {2, 10}),
        ({"type": "string", "minLength": 3, "maxLength": 5}, {"aa", "aaaaaa"}),
        ({"enum": ["x", "y"]}, {"unknown"}),
    ],
)
def test_values_that_break_what_was_caught_are_tried(schema, broken):
    body = gene_of(learnt(demanded("json", it=schema)), Location.JSON)
    rng = Random(2)

    tried = [deliberately_wrong(body, rng).value() for _ in range(300)]

    values = [value.get("it") for value in tried if isinstance(value, dict)]
    assert all(wanted in values for wanted in broken)
    assert {} in tried
