from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.harvest.proving.filters import taken_apart
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.request import build_request

BOOKS = Endpoint("GET", "/books", "books")
STOCK = [{"genre": "novel", "price": 9}, {"genre": "essay", "price": 5}]


def execute(individual: Individual) -> FullEvaluation[Individual]:
    """Return the answer of a shop with a filter by genre, by price, and a join of both."""
    request = build_request(individual.calls[-1], BOOKS, {})
    asked = dict(request.query)
    found = [one for one in STOCK if one["genre"] == asked.get("genre", one["genre"])]
    found = [one for one in found if one["price"] <= asked.get("price", 99)]
    lines = [name for name in asked if name != "join"]
    if "join" in asked:
        lines.append("both" if len(asked) == 3 else "one")
    status = 400 if "genre" not in asked and "strict" in asked else 200
    headers = (("Content-Type", "application/json"),)
    exchange = Exchange(request, Response(status, headers, json.dumps(found).encode()))
    observation = Observation(individual, (exchange,))
    covered = frozenset(TargetId(f"line {name}") for name in lines)
    return FullEvaluation(Evaluation(individual, {}, (1, 1), observation=observation), (covered,))


def asking(query: Mapping[str, object]) -> FullEvaluation[Individual]:
    inputs = [Input(Location.QUERY, name, ConstantGene(value)) for name, value in query.items()]
    return execute(Individual((Call(BOOKS.key, tuple(inputs), 0),)))


def names_of(test: FullEvaluation[Individual]) -> list[str]:
    return [one.name for one in test.evaluation.individual.calls[-1].inputs]


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ({"genre": "a", "price": 9}, [["genre"], ["price"]]),
        ({"genre": "a", "price": 1}, [["genre"], ["price"]]),
        ({"genre": "novel", "price": 5}, [["genre", "price"]]),  # together they leave nothing
        ({"genre": "a", "price": 9, "join": 1}, [["genre", "price", "join"]]),  # alone in its code
        ({"genre": "a", "strict": 1}, [["genre", "strict"]]),  # one alone is refused
        ({"genre": "a"}, [["genre"]]),
    ],
)
def test_filters_of_which_one_gives_the_answer_get_a_test_each(
    query: dict[str, object], parts: list[list[str]]
) -> None:
    test = asking(query)
    found = taken_apart(test, test.covered, execute, lambda: False)

    assert [names_of(one) for one in found] == parts


def test_nothing_is_taken_apart_when_the_time_is_over() -> None:
    test = asking({"genre": "a", "price": 9})

    assert taken_apart(test, test.covered, execute, lambda: True) == [test]
