from __future__ import annotations

import pytest

from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.inquiries.inquirer import ATTACKS
from pytest_evosearch.problem.http.inquiries.inquirer import MISSING_NUMBER
from pytest_evosearch.problem.http.inquiries.inquirer import SCRIPT
from pytest_evosearch.problem.http.inquiries.inquirer import Attack
from pytest_evosearch.problem.http.inquiries.inquirer import Growth
from pytest_evosearch.problem.http.inquiries.inquirer import Inquirer

ITEM = "/items/{number}"
PATH = Parameter(Location.PATH, "number", IntegerGene(current=1), True)
ENDPOINTS = (
    Endpoint("GET", ITEM, "read", (PATH,)),
    Endpoint("PUT", ITEM, "update", (PATH,)),
    Endpoint("DELETE", ITEM, "delete", (PATH,)),
    Endpoint("POST", "/items", "create"),
    Endpoint("GET", "/items", "list", (Parameter(Location.QUERY, "q", TextGene(current="a")),)),
)
NUMBER = Input(Location.PATH, "number", IntegerGene(current=4))
BODY = Input(
    Location.JSON,
    "",
    ObjectGene((Field("name", TextGene(current="a")), Field("age", IntegerGene(current=3)))),
)


def inquirer() -> Inquirer:
    return Inquirer(EndpointModel(ENDPOINTS))


def story(individual: Individual) -> list[str]:
    return [call.endpoint for call in individual.calls]


def answered(status: int, location: str = "") -> Exchange:
    headers = (("Location", location),) if location else ()
    return Exchange(Request("GET", "/"), Response(status, headers))


def test_a_deletion_is_told_by_what_is_read_around_it() -> None:
    base = Individual((Call(f"DELETE {ITEM}", (NUMBER,), 1),))
    (found,) = inquirer().follow_ups(base, answered(204))
    assert story(found) == [f"GET {ITEM}", f"GET {ITEM}", f"DELETE {ITEM}", f"GET {ITEM}"]
    assert found.calls[0].inputs[0].gene.value() == MISSING_NUMBER
    assert [call.inputs[0].gene.value() for call in found.calls[1:]] == [4, 4, 4]


def test_a_new_resource_is_looked_for_where_it_should_be() -> None:
    base = Individual((Call("POST /items", (BODY,), 5),))
    (found,) = inquirer().follow_ups(base, answered(201, "http://localhost/items/7"))
    assert story(found) == ["POST /items", f"GET {ITEM}"]
    gene = found.calls[1].inputs[0].gene
    assert isinstance(gene, LinkGene)
    assert (gene.label, gene.selector, gene.fallback.value()) == (5, ("location", -1), "7")


def test_addresses_of_no_endpoint_are_left_alone() -> None:
    base = Individual((Call("POST /items", (BODY,), 5),))
    assert not list(inquirer().follow_ups(base, answered(201, "/elsewhere")))


def test_texts_are_attacked_together_then_one_by_one() -> None:
    body = ObjectGene((Field("name", TextGene(current="a")), Field("note", TextGene(current="b"))))
    base = Individual((Call("POST /items", (Input(Location.JSON, "", body),), 5),))
    found = list(inquirer().attacks(base, Attack("sql-injection", "evo'search")))
    assert [one.calls[0].inputs[0].gene.value() for one in found] == [
        {"name": "evo'search", "note": "evo'search"},
        {"name": "evo'search", "note": "b"},
        {"name": "a", "note": "evo'search"},
    ]


def test_an_attack_stands_inside_of_what_a_pattern_asks_for() -> None:
    gene = RegexGene.compile(r'^name:(?:"[^"]*"|[a-z]+)$')
    base = Individual((Call("GET /items", (Input(Location.QUERY, "q", gene),), 5),))
    found = list(inquirer().attacks(base, Attack("sql-injection", "evo'search")))
    assert 'name:"evo\'search"' in [one.calls[0].inputs[0].gene.value() for one in found]


def test_optional_texts_are_attacked_though_nobody_sent_them() -> None:
    base = Individual((Call("GET /items", (), 5),))
    (found,) = inquirer().attacks(base, Attack("sql-injection", "evo'search"))
    assert [given.gene.value() for given in found.calls[0].inputs] == ["evo'search"]


def test_numbers_are_attacked_by_numbers() -> None:
    base = Individual((Call(f"PUT {ITEM}", (NUMBER, BODY), 5),))
    found = list(inquirer().attacks(base, Attack("server-error", 0)))
    sent = [[given.gene.value() for given in one.calls[0].inputs] for one in found]
    assert sent == [
        [4, {"name": "a", "age": 0}],
        [0, {"name": "a", "age": 3}],
        [4, {"name": "a", "age": 0}],
    ]


def test_rows_of_a_test_are_no_way_in_but_their_numbers_are_tried() -> None:
    row = Input(Location.ROW, "shop.Item", BODY.gene)
    base = Individual((Call("POST /items", (row,), 5),))
    assert not list(inquirer().attacks(base, Attack("sql-injection", "evo'search")))
    assert not list(inquirer().enlarged(base, Growth(10, 100, 1000)))
    [found] = inquirer().attacks(base, Attack("server-error", 0))
    assert found.calls[0].inputs[0].gene.value() == {"name": "a", "age": 0}


def test_stored_texts_are_looked_for_in_pages() -> None:
    base = Individual((Call("POST /items", (BODY,), 5),))
    found = next(inquirer().attacks(base, Attack("script-injection", SCRIPT, stored=True)))
    assert story(found) == ["POST /items", f"GET {ITEM}", "GET /items"]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.code} {attack.value}")
def test_nothing_to_replace_gives_nothing(attack: Attack) -> None:
    base = Individual((Call(f"DELETE {ITEM}", (), 5),))
    assert not list(inquirer().attacks(base, attack))


@pytest.mark.parametrize(
    ("value", "page", "evidence", "came_up"),
    [
        ("evo'search", b"", Evidence(statements=("SELECT 'evo'search'",)), True),
        ("evo'search", b"", Evidence(statements=("SELECT 'evo''search'",)), False),
        ("../../x", b"", Evidence(opened=("/srv/files/../../x",)), True),
        ("http://elsewhere.invalid/", b"", Evidence(contacted=("elsewhere.invalid",)), True),
        ("http://elsewhere.invalid/", b"", Evidence(contacted=("example.com",)), False),
        (SCRIPT, SCRIPT.encode(), Evidence(), True),
        (0, b"0", Evidence(), False),
    ],
)
def test_attack_may_have_come_of_something(
    value: str | int, page: bytes, evidence: Evidence, came_up: bool
) -> None:
    exchange = Exchange(Request("GET", "/items"), Response(200, (), page), evidence=evidence)

    assert Attack("any", value).turns_up_in(exchange) is came_up


@pytest.mark.parametrize(
    ("code", "evidence"),
    [
        ("sql-injection", Evidence(statements=("SELECT 1",))),
        ("path-traversal", Evidence(opened=("/srv/files/a",))),
        ("request-forgery", Evidence(contacted=("example.com",))),
    ],
)
def test_attack_reaches_what_a_call_has_used(code: str, evidence: Evidence) -> None:
    used = Exchange(Request("GET", "/items"), Response(200), evidence=evidence)
    other = Exchange(Request("GET", "/items"), Response(200))

    assert Attack(code, "x").reaches(used)
    assert not Attack(code, "x").reaches(other)
    assert not Attack("server-error", 0).reaches(used)


def test_attack_on_a_redirect_reaches_calls_that_redirect() -> None:
    redirected = Exchange(Request("GET", "/go"), Response(302, (("Location", "/"),)))

    assert Attack("open-redirect", "//elsewhere.invalid/").reaches(redirected)
    assert not Attack("request-forgery", "//elsewhere.invalid/").reaches(redirected)


def test_attack_on_a_redirect_turns_up_in_the_location() -> None:
    attack = Attack("open-redirect", "//elsewhere.invalid/")
    away = Response(302, (("Location", "//elsewhere.invalid/"),))

    assert attack.turns_up_in(Exchange(Request("GET", "/go"), away))
    assert not attack.turns_up_in(Exchange(Request("GET", "/go"), Response(302)))
