from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.guesses import gene_holding
from pytest_evosearch.problem.http.descriptions.json_shape import SOME_OBJECT
from pytest_evosearch.problem.http.descriptions.json_shape import missing_members
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import View
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Read

LEAF = TextGene(current="a")
CRASH = Crash("TypeError", "builtins", "", "app.py", 3, "order", "")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("title",), {"title": "a"}),
        (("book", "title"), {"book": {"title": "a"}}),
        (("books", 0, "title"), {"books": [{"title": "a"}]}),
    ],
)
def test_a_body_grows_by_what_is_read_of_it(path: Path, value: object) -> None:
    assert with_leaf(None, path, LEAF).value() == value


def test_a_body_may_be_an_object_or_an_array_where_both_are_read() -> None:
    body = with_leaf(with_leaf(None, ("total",), LEAF), (0, "title"), LEAF)
    grown = with_leaf(with_leaf(body, (0, "isbn"), LEAF), ("page",), LEAF)

    assert [kind.value() for kind in grown.kinds()] == [
        {"total": "a", "page": "a"},
        [{"title": "a"}],
    ]
    assert list(grown.kinds()[1].element().named_parts()) == ["title", "isbn"]
    assert with_leaf(ObjectGene(), (0,), LEAF).value() == ["a"]


def test_mutations_leave_out_members_of_an_object_that_a_test_sent() -> None:
    sent, rng = gene_holding({"title": "Emma", "stock": 3}), Random(1)

    assert sent.value() == {"title": "Emma", "stock": 3}
    mutants = [sent.mutate(rng).value() for _ in range(200)]
    assert {"title": "Emma"} in mutants
    assert {"stock": 3} in mutants


def test_a_place_keeps_the_type_of_which_more_is_known() -> None:
    number = IntegerGene(current=1)

    assert with_leaf(with_leaf(None, ("n",), LEAF), ("n",), number).value() == {"n": 1}
    assert with_leaf(with_leaf(None, ("n",), number), ("n",), LEAF).value() == {"n": 1}


def test_a_name_that_the_body_holds_undeclared_is_grown_in_its_place() -> None:
    book = ObjectGene((Field("title", LEAF),))
    body = replace(ObjectGene(additional=book), extras=(Field("1", book),))

    body_then = with_leaf(with_leaf(body, ("1",), LEAF), ("1", "author"), LEAF)

    assert isinstance(body_then, ObjectGene)
    assert [one.name for one in (*body_then.fields, *body_then.extras)] == ["1"]
    assert body_then.value() == {"1": {"title": "a", "author": "a"}}


def test_an_empty_object_of_which_nothing_is_read_gets_some_member_until_one_is_known() -> None:
    model = EndpointModel([Endpoint("POST", "/parcels", "parcels")])

    def after(body: object, *paths: Path) -> object:
        reads = tuple(Read("json", path, present=False) for path in paths)
        request = Request("POST", "/parcels", json=body, has_json=body is not None)
        model.learn(Exchange(request, None, reads=reads))
        parameter = model.parameter("POST /parcels", (Location.JSON, ""))
        return None if parameter is None else parameter.gene

    assert after(None, ()) == ObjectGene()
    assert after({}, ()) == SOME_OBJECT
    known = after({"a": "a"}, (), ("to",))
    assert isinstance(known, ObjectGene)
    assert [one.name for one in known.fields] == ["to"]
    assert after({}, ()) == known


def test_a_handler_that_reads_no_member_is_sent_what_python_misses_or_its_view_names() -> None:
    view = View("app.py", 1, 9, ("title", "state"))
    model = EndpointModel([Endpoint("POST", "/orders", "orders", view=view)])
    model.add("POST /orders", Parameter(Location.JSON, "", ObjectGene(), source="read"))
    crash = replace(CRASH, message="make() missing 2 required arguments: 'size' and 'count'")

    def names_after(body: object, crash: Crash | None = None) -> list[str]:
        request = Request("POST", "/orders", json=body, has_json=True)
        model.learn(Exchange(request, None, reads=(Read("json", (), True),), crash=crash))
        gene = model.endpoint("POST /orders").parameters[0].gene
        return [one.name for one in gene.fields]  # type: ignore[attr-defined]

    assert names_after({}) == ["a"]
    assert names_after({"a": "a"}) == ["title", "state"]
    model.put("POST /orders", Parameter(Location.JSON, "", ObjectGene(), source="read"))
    assert names_after({}, crash) == ["size", "count"]


def test_an_empty_object_of_which_something_is_read_stays() -> None:
    model = EndpointModel([Endpoint("POST", "/parcels", "parcels")])
    request = Request("POST", "/parcels", json={}, has_json=True)
    model.learn(
        Exchange(request, None, reads=(Read("json", (), True), Read("json", ("to",), False)))
    )

    parameter = model.parameter("POST /parcels", (Location.JSON, ""))
    assert parameter is not None
    assert [one.name for one in parameter.gene.fields] == ["to"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "message", "names"),
    [
        ("TypeError", "f() missing 1 required positional argument: 'size'", ["size"]),
        ("TypeError", "f() missing 2 required keyword-only arguments: 'a' and 'b'", ["a", "b"]),
        ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'", []),
        ("IntegrityError", "NOT NULL constraint failed: book.title [SQL: ...]", ["title"]),
        ("NotNullViolation", 'null value in column "title" of relation "book"', ["title"]),
        ("IntegrityError", "(1048, \"Column 'title' cannot be null\")", ["title"]),
        ("OperationalError", "(1364, \"Field 'title' doesn't have a default value\")", ["title"]),
    ],
)
def test_messages_name_what_lacked_a_value(kind: str, message: str, names: list[str]) -> None:
    assert missing_members(replace(CRASH, type_name=kind, message=message)) == names
    assert missing_members(None) == []
