"""Numbers that tell what was calculated, tried on a small calculator."""

from __future__ import annotations

import json

from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.telling_numbers import TellingNumbers
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

MULTIPLY, CLAMP, ECHO, DRAW = "GET /multiply", "GET /clamp", "GET /echo", "GET /draw"
NUMBERED = "POST /numbered"


class Calculator:
    """Answers with a number as plain text, and covers a line for each endpoint."""

    def __init__(self) -> None:
        self.executions = 0

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executions += 1
        call = individual.calls[-1]
        numbers = [float(str(given.gene.value())) for given in call.inputs]
        covered = {f"line {call.endpoint}:1"}
        result = numbers[0]
        if call.endpoint == MULTIPLY:
            result = numbers[0] * numbers[1]
        elif call.endpoint == CLAMP:
            result = numbers[0] * 2 + 1
            covered.add(f"branch clamp:2 {result < 0}")
            result = max(result, 0.0)
        elif call.endpoint == DRAW:
            result += 10 + self.executions
        response = Response(200, (("Content-Type", "text/plain"),), str(result).encode())
        if call.endpoint == NUMBERED:
            body = json.dumps({"number": 9, "price": result}).encode()
            response = Response(201, (("Content-Type", "application/json"),), body)
        exchanges = (Exchange(Request(*call.endpoint.split(" ")), response),)
        evaluation = Evaluation(individual, {}, (1, 0), Observation(individual, exchanges))
        return FullEvaluation(evaluation, (frozenset(covered),))


def improved(endpoint: str, *genes: Gene) -> tuple[TellingNumbers, list[object], Calculator]:
    inputs = tuple(Input(Location.QUERY, f"x{place}", one) for place, one in enumerate(genes))
    calculator = Calculator()
    base = calculator.execute(Individual((Call(endpoint, inputs, 1),)))
    numbers = TellingNumbers(calculator.execute, lambda: False)
    results = numbers.improved([(base, frozenset((f"line {endpoint}:1",)))])
    return numbers, sent(results[0][0]), calculator


def sent(evaluation: FullEvaluation[Individual]) -> list[object]:
    return [given.gene.value() for given in evaluation.evaluation.individual.calls[-1].inputs]


def test_a_product_of_nothing_becomes_a_product() -> None:
    numbers, values, _ = improved(MULTIPLY, TextGene(current="0.0"), IntegerGene(current=1))

    assert values == ["3", 5]
    assert numbers.added == []


def test_each_branch_keeps_its_test_and_one_that_can_tell_does() -> None:
    numbers = TellingNumbers(Calculator().execute, lambda: False)
    results = [
        (Calculator().execute(clamped(value)), frozenset({f"branch clamp:2 {value < 0}"}))
        for value in (-8, 0)
    ]
    better = numbers.improved(results)

    assert [sent(evaluation) for evaluation, _ in better] == [[-8], [3]]
    assert numbers.added == []


def test_a_line_that_only_a_peculiar_answer_shows_gets_a_test() -> None:
    numbers = TellingNumbers(Calculator().execute, lambda: False)
    numbers.improved([(Calculator().execute(clamped(-8)), frozenset({"branch clamp:2 True"}))])

    assert [sent(evaluation) for evaluation, _ in numbers.added] == [[3]]
    assert [told for _, told in numbers.added] == [frozenset({f"line {CLAMP}:1"})]


def clamped(value: int) -> Individual:
    given = Input(Location.QUERY, "x", IntegerGene(current=value))
    return Individual((Call(CLAMP, (given,), 1),))


def test_what_is_only_sent_back_stays_as_simple_as_it_is() -> None:
    numbers, values, _ = improved(ECHO, IntegerGene(current=0))

    assert values == [0]
    assert numbers.added == []


def test_numbers_that_tell_already_are_not_varied() -> None:
    *_, calculator = improved(MULTIPLY, IntegerGene(current=2), IntegerGene(current=4))

    assert calculator.executions == 1


def test_numbers_that_differ_every_time_tell_nothing() -> None:
    _, values, calculator = improved(DRAW, IntegerGene(current=0))

    assert values == [0]
    assert calculator.executions == 2


def test_another_identifier_would_only_show_another_thing() -> None:
    given = Input(Location.PATH, "order_id", IntegerGene(current=1))
    calculator = Calculator()
    base = calculator.execute(Individual((Call(CLAMP, (given,), 1),)))

    assert TellingNumbers(calculator.execute, lambda: False).improved([(base, frozenset())])
    assert calculator.executions == 1


def test_what_comes_back_besides_a_number_of_the_server_stays_simple() -> None:
    numbers, values, _ = improved(NUMBERED, IntegerGene(current=0))

    assert values == [0]
    assert numbers.added == []
