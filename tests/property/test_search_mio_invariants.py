from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.feedback import LowestCounter
from pytest_evosearch.search.mio import Mio
from pytest_evosearch.search.mio import MioParameters
from pytest_evosearch.search.population import Population
from pytest_evosearch.search.toy import numbers

reproducibly = settings(deadline=None, database=None)

SCORE = strategies.sampled_from([0.0, 0.1, 0.4, 0.8, 1.0])
OUTCOMES = strategies.lists(
    strategies.dictionaries(strategies.sampled_from("abcde"), SCORE), max_size=40
)


@reproducibly
@given(OUTCOMES, strategies.integers(0, 9))
def test_populations_exist_exactly_for_open_targets(
    outcomes: list[dict[str, float]], seed: int
) -> None:
    archive: Archive[object] = Archive()
    told = 0
    problem = numbers(3)
    mio = Mio(
        SearchContext(problem, archive, Random(seed), lambda: told / 40),  # type: ignore[arg-type]
        MioParameters(sample_probability=0.3),
    )
    for scores in outcomes:
        (individual,) = mio.ask()
        evaluation = Evaluation(individual, scores, (len(individual), 1))
        archive.offer(evaluation)
        mio.tell([evaluation])
        told += 1
        assert mio.open_populations == archive.open_targets()


@reproducibly
@given(
    strategies.lists(
        strategies.tuples(SCORE, strategies.integers(-4, -1), strategies.integers(1, 5))
    )
)
def test_a_population_is_bounded_and_keeps_its_best(
    insertions: list[tuple[float, int, int]],
) -> None:
    population: Population[int] = Population()
    best = 0.0
    for number, (score, negative_calls, capacity) in enumerate(insertions):
        previous = len(population)
        improved = population.insert((score, negative_calls, number, number), capacity)
        assert improved == (score > best or not number)
        best = max(best, score)
        assert population.best == best
        assert len(population) <= max(capacity, previous)


@reproducibly
@given(
    strategies.lists(
        strategies.tuples(
            strategies.sampled_from(["open", "close", "improve", "pick"]),
            strategies.sampled_from("abcd"),
        )
    ),
)
def test_a_pick_is_always_an_open_target(operations: list[tuple[str, str]]) -> None:
    sampling = LowestCounter()
    opened: set[str] = set()
    for operation, target in operations:
        if operation == "open" and target not in opened:
            sampling.open(target)
            opened.add(target)
        elif operation == "close" and target in opened:
            sampling.close(target)
            opened.remove(target)
        elif operation == "improve" and target in opened:
            sampling.note_improvement(target)
        elif operation == "pick" and opened:
            assert sampling.pick() in opened
        assert len(sampling) == len(opened)
