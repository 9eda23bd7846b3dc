from __future__ import annotations

from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.inquiries.malformed_inquiry import HUGE
from pytest_evosearch.problem.http.inquiries.malformed_inquiry import MOST_VARIANTS
from pytest_evosearch.problem.http.inquiries.malformed_inquiry import MalformedInquirer

GENE = ObjectGene(
    (
        Field("name", TextGene(current="a")),
        Field("tags", ArrayGene(TextGene(current="x"), elements=())),
        Field.optional("groups", ArrayGene(TextGene(current="x"), elements=()), active=False),
    )
)


def variants(
    *inputs: Input, key: str = "POST /items", known: tuple[Parameter, ...] = ()
) -> list[Call]:
    method, _, template = key.partition(" ")
    model = EndpointModel([Endpoint(method, template, "items", known)])
    return [one.call for one in MalformedInquirer(model).calls(Call(key, inputs, 1))]


def bodies(found: list[Call]) -> list[object]:
    return [one.inputs[0].gene.value() for one in found]


def test_every_field_is_null_missing_and_of_another_type() -> None:
    sent = bodies(variants(Input(Location.JSON, "", GENE)))

    assert {"name": None, "tags": []} in sent
    assert {"tags": []} in sent
    assert {"name": ["text"], "tags": []} in sent
    assert {"name": "", "tags": []} in sent
    assert {"name": "a", "tags": "text"} in sent
    assert {"name": "a", "tags": 42} in sent


def test_each_list_that_a_service_answers_with_is_empty_once() -> None:
    rows = ArrayGene(TextGene(current="x"), elements=(TextGene(current="x"),))
    gene = ObjectGene((Field("rows", rows), Field("more", ObjectGene((Field("tags", rows),)))))
    sent = bodies(variants(Input(Location.ANSWER, "GET http://a.internal/", gene), key="GET /a"))

    assert sent[:2] == [
        {"rows": [], "more": {"tags": ["x"]}},
        {"rows": ["x"], "more": {"tags": []}},
    ]


def test_a_number_in_a_body_is_zero_and_another_type() -> None:
    gene = ObjectGene((Field("count", IntegerGene(current=3)),))
    sent = bodies(variants(Input(Location.JSON, "", gene)))

    assert sent[3:] == [{}, *({"count": value} for value in (None, 0, "text", ["text"]))]


def test_a_field_that_the_call_leaves_out_is_malformed_too() -> None:
    known = Parameter(Location.JSON, "", GENE)
    sent = bodies(variants(Input(Location.JSON, "", GENE), known=(known,)))

    assert {"name": "a", "tags": [], "groups": 42} in sent


def test_the_whole_body_is_another_one_before_any_field_is() -> None:
    assert bodies(variants(Input(Location.JSON, "", GENE)))[:3] == [42, ["text"], []]


def test_every_field_is_null_before_any_is_of_another_type() -> None:
    sent = bodies(variants(Input(Location.JSON, "", GENE)))

    assert sent.index({"name": "a", "tags": None}) < sent.index({"name": ["text"], "tags": []})


def test_a_form_is_replaced_by_json_that_is_no_object() -> None:
    found = variants(
        Input(Location.PATH, "id", TextGene(current="x")),
        Input(Location.FORM, "title", TextGene(current="a")),
    )

    first, second = (one.inputs for one in found[:2])
    assert [given.location for given in first] == [Location.PATH, Location.JSON]
    assert first[-1].gene.value() == 42
    assert second[-1].gene.value() == ["text"]


def test_inputs_of_queries_are_left_out_zero_empty_texts_and_huge() -> None:
    found = variants(Input(Location.QUERY, "page", IntegerGene(current=1)), key="GET /items")

    assert [[given.gene.value() for given in one.inputs] for one in found] == [
        [HUGE],
        [],
        [0],
        [""],
        ["text"],
    ]


def test_numbers_in_paths_are_huge() -> None:
    found = variants(Input(Location.PATH, "id", IntegerGene(current=1)), key="GET /items/{id}")

    assert [one.inputs[0].gene.value() for one in found] == [HUGE]


def test_large_bodies_are_not_asked_about_for_ever() -> None:
    fields = tuple(Field(f"f{number}", IntegerGene(current=1)) for number in range(40))

    assert len(variants(Input(Location.JSON, "", ObjectGene(fields)))) == MOST_VARIANTS


def test_what_a_call_can_do_without_is_malformed_one_at_a_time() -> None:
    known = (
        Parameter(Location.QUERY, "page", IntegerGene(current=1)),
        Parameter(Location.FORM, "title", TextGene(current="a")),
    )
    found = variants(known=known)

    sent = [[(one.name, one.gene.value()) for one in test.inputs] for test in found]
    assert sent[:3] == [[("", 42)], [("", ["text"])], [("page", HUGE)]]
    assert [("title", "")] in sent
    assert all(len(inputs) == 1 for inputs in sent)
