from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ranking import Objectives
from pytest_evosearch.search.ranking import Ranked
from pytest_evosearch.search.ranking import distinctions
from pytest_evosearch.search.ranking import dominates
from pytest_evosearch.search.ranking import nondominated
from pytest_evosearch.search.ranking import select_survivors
from pytest_evosearch.search.ranking import tournament

ALL = Objectives(includes=lambda _target: True)


def front_0(pool: list[Evaluation[str]], objectives: Objectives) -> set[str]:
    survivors = select_survivors(pool, objectives, len(pool))
    return {one.evaluation.individual for one in survivors if one.rank == 0}


def evaluated(name: str, scores: Mapping[str, float], calls: int = 1) -> Evaluation[str]:
    return Evaluation(name, scores, (calls, 1))


def test_dominance_is_nowhere_worse_and_somewhere_better() -> None:
    assert dominates({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.4})
    assert dominates({"a": 0.5, "b": 0.5}, {"a": 0.5})
    assert dominates({"a": 0.5}, {})
    assert not dominates({"a": 0.5}, {"a": 0.5})
    assert not dominates({"a": 0.9}, {"a": 0.5, "b": 0.1})
    assert not dominates({"a": 0.9, "b": 0.1}, {"a": 0.5, "c": 0.1})
    assert not dominates({}, {})


def test_nondominated_looks_at_candidates_only() -> None:
    vectors = [{"a": 0.9}, {"a": 0.5}, {"b": 0.1}, {"a": 0.2}]
    assert nondominated([0, 1, 2, 3], vectors) == [0, 2]
    assert nondominated([1, 3], vectors) == [1]


def test_front_0_has_the_best_of_each_objective_and_the_shorter_on_a_tie() -> None:
    pool = [
        evaluated("good at a", {"a": 0.9, "b": 0.1}),
        evaluated("long, good at b", {"b": 0.5}, calls=3),
        evaluated("short, good at b", {"b": 0.5}, calls=2),
        evaluated("good at what is covered", {"covered": 0.9}),
    ]
    objectives = Objectives(includes=lambda target: target != "covered")
    assert front_0(pool, objectives) == {"good at a", "short, good at b"}


def test_unreached_objectives_prefer_the_shortest() -> None:
    pool = [evaluated("long", {"a": 0.9}, calls=3), evaluated("short", {}, calls=1)]
    objectives = Objectives(includes=lambda _target: True, unreached=lambda touched: touched < 2)
    assert front_0(pool, objectives) == {"long", "short"}


def test_survivors_come_in_fronts_and_fill_the_capacity() -> None:
    pool = [
        evaluated("nothing", {}),
        evaluated("second", {"a": 0.8, "b": 0.3}),
        evaluated("best", {"a": 0.9, "b": 0.4}),
        evaluated("third", {"a": 0.7, "b": 0.2}),
    ]
    survivors = select_survivors(pool, ALL, capacity=3)
    assert [(member.evaluation.individual, member.rank) for member in survivors] == [
        ("best", 0),
        ("second", 1),
        ("third", 2),
    ]


def test_everyone_survives_in_a_small_pool() -> None:
    pool = [evaluated("a", {}), evaluated("b", {})]
    assert len(select_survivors(pool, ALL, capacity=10)) == 2
    assert select_survivors([], ALL, capacity=10) == []


def test_distinction_is_the_least_advantage_over_another() -> None:
    vectors = [{"a": 0.9, "b": 0.9}, {"a": 0.8, "c": 0.1}, {"d": 0.1}]
    assert distinctions(vectors) == [2, 1, 1]
    assert distinctions([{"a": 0.5}, {"a": 0.5}]) == [0, 0]
    assert distinctions([{"a": 0.5}]) == [float("inf")]


def test_tournament_prefers_rank_then_distinction_then_brevity() -> None:
    contenders = [
        Ranked(evaluated("later front", {}), 1, 9.0),
        Ranked(evaluated("long", {}, calls=2), 0, 3.0),
        Ranked(evaluated("short", {}, calls=1), 0, 3.0),
        Ranked(evaluated("crowded", {}, calls=1), 0, 1.0),
    ]
    winner = tournament(contenders, size=200, rng=Random(1))
    assert winner.evaluation.individual == "short"
