from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.shortening import minimize_individual
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

reproducibly = settings(deadline=None, database=None)

GENES = strategies.one_of(
    strategies.integers(-999, 999).map(lambda number: IntegerGene(current=number)),
    strategies.text(max_size=6).map(lambda text: TextGene(current=text)),
)
INPUTS = strategies.lists(
    strategies.builds(
        Input,
        strategies.sampled_from([Location.PATH, Location.QUERY, Location.HEADER]),
        strategies.sampled_from("xyz"),
        GENES,
    ),
    max_size=3,
    unique_by=lambda given_input: given_input.key,
).map(tuple)
INDIVIDUALS = strategies.lists(
    strategies.tuples(strategies.sampled_from(["GET /a", "POST /b"]), INPUTS),
    min_size=1,
    max_size=6,
).map(
    lambda calls: Individual(
        tuple(Call(endpoint, inputs, label) for label, (endpoint, inputs) in enumerate(calls))
    )
)


def size(individual: Individual) -> tuple[int, int]:
    return len(individual), sum(len(call.inputs) for call in individual)


@reproducibly
@given(INDIVIDUALS, strategies.integers(0, 60), strategies.integers(1, 6))
def test_the_result_is_accepted_or_the_original_and_never_larger(
    individual: Individual, limit: int, modulus: int
) -> None:
    accepted = [individual]
    seen: list[Individual] = []

    def keeps(candidate: Individual) -> bool:
        seen.append(candidate)
        verdict = len(repr(candidate)) % modulus == 0
        if verdict:
            accepted.append(candidate)
        return verdict

    result = minimize_individual(individual, keeps, limit)
    assert result is accepted[-1]
    assert len(seen) <= limit
    assert individual not in seen
    assert size(result) <= size(individual)


@reproducibly
@given(INDIVIDUALS, strategies.data())
def test_what_a_test_is_kept_for_survives_alone(
    individual: Individual, data: strategies.DataObject
) -> None:
    needed = data.draw(strategies.sampled_from(range(len(individual))))
    result = minimize_individual(
        individual, lambda candidate: any(call.label == needed for call in candidate), limit=500
    )
    (call,) = result
    assert call.label == needed
    assert all(kept.location is Location.PATH for kept in call.inputs)
