"""How tests of GraphQL read: what they are called, what they assert, where ids come from."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from pytest_evosearch.oracles.server_error import ServerErrorOracle
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.graphql_answers import meaning_of
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.content.facts import Corpus
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.faults import fault_mark
from pytest_evosearch.write.content.references import references_of
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.variables import response_variables
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.name_choice import choose_name
from pytest_evosearch.write.naming.name_choice import words_to_spare
from pytest_evosearch.write.naming.stories import siblings_of

HEADERS = (("Content-Type", "application/json"),)


def exchanged(
    operation: str, variables: Mapping[str, object], answer: object, crash: Crash | None = None
) -> Exchange:
    body = {"query": f"{{ {operation} }}", "variables": variables}
    request = Request("POST", f"/graphql#{operation}", json=body, has_json=True)
    response = Response(200, HEADERS, json.dumps(answer).encode())
    meaning = 500 if crash else meaning_of(response, operation).status
    return Exchange(request, response, crash=crash, meaning=meaning)


ADDED = exchanged("mutation.addPet", {"name": "a"}, {"data": {"addPet": {"pet": {"id": "5"}}}})
FOUND = exchanged("query.pet", {"id": "5"}, {"data": {"pet": {"name": "a"}}})
MISSING = exchanged("query.pet", {"id": "0"}, {"data": {"pet": None}})
REFUSED = exchanged(
    "mutation.addPet",
    {"name": ""},
    {"data": None, "errors": [{"message": "a pet has a name", "path": ["addPet"]}]},
)
PAYLOAD = exchanged("mutation.sell", {"petId": "5"}, {"data": {"sell": {"errors": ["not yours"]}}})
LIST = exchanged("query.pets", {}, {"data": {"pets": [{"name": "a"}]}})
FAILED = exchanged(
    "query.owner",
    {"petId": "5"},
    {"data": None, "errors": [{"message": "'5'", "path": ["owner"]}]},
    Crash("KeyError", "builtins", "'5'", "pets.py", 3, "owner", "Traceback ..."),
)


@pytest.mark.parametrize(
    ("exchanges", "name"),
    [
        ((ADDED,), "test_add_pet_returns_data"),
        ((ADDED, FOUND), "test_add_pet_then_query_pet_returns_data"),
        ((MISSING,), "test_query_pet_returns_null"),
        ((REFUSED,), "test_add_pet_says_pet_has_a_name_returns_errors"),
        ((PAYLOAD,), "test_sell_not_yours_returns_errors"),
        ((LIST,), "test_query_pets_returns_list"),
    ],
)
def test_tests_are_called_after_the_operation(exchanges: tuple[Exchange, ...], name: str) -> None:
    specimen = Specimen(exchanges)
    siblings = siblings_of([specimen, Specimen((ADDED, FOUND))])
    candidates = name_candidates(specimen, siblings, {})
    assert choose_name(candidates, frozenset()) == name


@pytest.mark.parametrize(
    ("exchange", "facts"),
    [
        (FOUND, [(("data", "pet"), {"name": "a"})]),
        (MISSING, [(("data", "pet"), None)]),
        (REFUSED, [(("errors", 0, "message"), "a pet has a name")]),
    ],
)
def test_what_is_asserted_is_the_field_or_the_message(
    exchange: Exchange, facts: list[tuple[tuple[str | int, ...], object]]
) -> None:
    found = act_facts(Specimen((exchange,)), 0, Corpus.of([]))
    assert [(fact.path, fact.value) for fact in found if fact.kind == "json"] == facts
    assert (found[0].kind, found[0].value) == ("status", 200)


def test_an_id_among_the_variables_is_taken_from_the_mutation_that_made_it() -> None:
    variables = response_variables([ADDED, FOUND])
    assert variables == ["created", "found"]
    found = references_of([ADDED, FOUND], 1, variables)
    code = 'created.json["data"]["addPet"]["pet"]["id"]'
    assert {place: one.code for place, one in found.items()} == {("json", "variables", "id"): code}
    assert references_of([ADDED, MISSING], 1, variables) == {}


def test_a_failing_resolver_is_told_by_the_words_of_its_exception() -> None:
    (fault,) = ServerErrorOracle().judge(FAILED, 0)
    assert fault.is_failure
    assert fault.expectation == Expectation("lacks", "'5'", phrase="does_not_raise_KeyError")
    assert fault_mark(fault, FAILED, "xfail", frozenset()).exception == "AssertionError"
    specimen = Specimen((FAILED,), fault=fault)
    names = name_candidates(specimen, siblings_of([specimen]), {})
    assert choose_name(names, frozenset()) == "test_query_owner_does_not_raise_key_error"


def test_a_long_name_keeps_the_words_of_the_operation() -> None:
    names = ("test_create_order_missing_name_and_address_does_not_raise_type_error", "test_b")
    assert choose_name(iter(names), frozenset(), words_to_spare(ADDED.request, ())) == "test_b"
    assert words_to_spare(ADDED.request, ()) == 0
    assert words_to_spare(Request("POST", "/create/order"), ()) == 1


def test_long_queries_are_broken_behind_braces() -> None:
    text = "query ($identifier: ID!) { pet(id: $identifier) { id name owner { id name } } }"
    assert Layout(60).statement("x = ", Text(text)) == [
        "x = (",
        '    "query ($identifier: ID!) { pet(id: $identifier) { "',
        '    "id name owner { id name } } }"',
        ")",
    ]
