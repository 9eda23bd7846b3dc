"""Inputs for which callers are refused are mostly left out."""

from __future__ import annotations

from random import Random

from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.filling.rejected_inputs import UnwelcomeInputs

TOKEN = Input(Location.QUERY, "token", TextGene())
BODY = Input(Location.JSON, "", ObjectGene())


def call(*inputs: Input, user: str | None = "ann") -> Call:
    return Call("POST /files", inputs, 1, user)


def test_input_of_refused_calls_is_unwelcome_to_who_was_let_in_without_it() -> None:
    inputs = UnwelcomeInputs()

    assert not inputs.learn(call(), 415, refused=False)
    assert inputs.learn(call(TOKEN, BODY), 403, refused=True)
    assert not inputs.learn(call(TOKEN, BODY), 403, refused=True)

    assert inputs.has("POST /files", "token")
    assert not inputs.has("POST /files", "")  # a body is no credential
    assert not inputs.has("GET /files", "token")


def test_input_is_welcome_where_some_call_with_it_was_let_in() -> None:
    inputs = UnwelcomeInputs()
    inputs.learn(call(), 415, refused=False)
    inputs.learn(call(TOKEN), 403, refused=True)

    inputs.learn(call(TOKEN), 415, refused=False)

    assert not inputs.has("POST /files", "token")


def test_refusals_of_who_was_never_let_in_say_nothing() -> None:
    inputs = UnwelcomeInputs()
    inputs.learn(call(user=None), 403, refused=True)
    inputs.learn(call(TOKEN, user=None), 403, refused=True)
    inputs.learn(call(), 415, refused=False)

    assert not inputs.has("POST /files", "token")


def test_missing_page_lets_nobody_in() -> None:
    inputs = UnwelcomeInputs()
    inputs.learn(call(), 404, refused=False)
    inputs.learn(call(TOKEN), 403, refused=True)

    assert not inputs.has("POST /files", "token")


def test_refusal_without_any_credential_has_another_reason() -> None:
    inputs = UnwelcomeInputs()
    inputs.learn(call(), 415, refused=False)
    inputs.learn(call(TOKEN), 401, refused=True)
    assert inputs.has("POST /files", "token")

    inputs.learn(call(BODY), 401, refused=True)

    assert not inputs.has("POST /files", "token")


def test_full_calls_mostly_do_without_it_also_in_a_form() -> None:
    parameters = (
        Parameter(Location.QUERY, "token", TextGene(), source="read"),
        Parameter(Location.FORM, "token", TextGene(), source="read"),
        Parameter(Location.FORM, "name", TextGene(), source="read"),
        Parameter(Location.HEADER, "Key", TextGene(), required=True, source="schema"),
    )
    endpoint = Endpoint("POST", "/files", "files", parameters)
    maker, rng = CallMaker(EndpointModel([endpoint]), ValuePool()), Random(1)
    key = Input(Location.HEADER, "Key", TextGene())
    maker.unwelcome.learn(call(), 415, refused=False)
    maker.unwelcome.learn(call(TOKEN, key), 403, refused=True)

    made = [maker.make("POST /files", rng, 1, "ann", Fullness.FULL) for _ in range(100)]
    made += [maker.completed(call(), rng) for _ in range(100)]

    names = [given.name for one in made for given in one.inputs]
    assert 10 <= names.count("token") <= 80  # of 400
    assert names.count("name") == 200
    assert names.count("Key") >= 100  # what is required is sent by the fuller calls
