from __future__ import annotations

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.search.population import Population


def filled(*members: tuple[float, int, int, str], capacity: int = 3) -> Population[str]:
    population: Population[str] = Population()
    for member in members:
        population.insert(member, capacity)
    return population


def test_the_lowest_value_goes_first() -> None:
    population = filled((0.2, -1, 1, "a"), (0.9, -1, 2, "b"), (0.5, -1, 3, "c"), (0.3, -1, 4, "d"))
    assert population.members == ["d", "c", "b"]
    assert population.best == 0.9


def test_then_the_longest_goes() -> None:
    population = filled((0.5, -1, 1, "a"), (0.5, -4, 2, "b"), (0.5, -2, 3, "c"), (0.5, -3, 4, "d"))
    assert population.members == ["d", "c", "a"]


def test_then_the_oldest_goes_so_that_equals_drift() -> None:
    population = filled(*((0.5, -1, number, str(number)) for number in range(6)), capacity=2)
    assert population.members == ["4", "5"]


def test_a_worse_member_does_not_enter_a_full_population() -> None:
    population = filled((0.5, -1, 1, "a"), (0.4, -1, 2, "b"), capacity=1)
    assert population.members == ["a"]


def test_a_smaller_capacity_shrinks_at_the_next_insertion() -> None:
    population = filled(*((number / 10, -1, number, str(number)) for number in range(1, 6)))
    population.insert((0.9, -1, 9, "9"), capacity=1)
    assert population.members == ["9"]


def test_a_worse_member_shrinks_nothing_but_choice_respects_the_capacity() -> None:
    population = filled((0.1, -1, 1, "a"), (0.5, -1, 2, "b"), (0.4, -1, 3, "c"))
    rng = Random(1)
    assert {population.choose(rng, 1)[3] for _ in range(20)} == {"b"}
    assert {population.choose(rng, 9)[3] for _ in range(50)} == {"a", "b", "c"}


def test_an_empty_population_has_reached_nothing() -> None:
    assert filled().best == 0.0
    assert len(filled()) == 0
