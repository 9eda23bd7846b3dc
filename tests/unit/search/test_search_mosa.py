from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.conformance import drive
from pytest_evosearch.search.dynamosa import DynaMosa
from pytest_evosearch.search.lt_mosa import LtMosa
from pytest_evosearch.search.lt_mosa import LtMosaParameters
from pytest_evosearch.search.mosa import Mosa
from pytest_evosearch.search.mosa import MosaParameters
from pytest_evosearch.search.toy import Step
from pytest_evosearch.search.toy import ToyProblem
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import numbers
from pytest_evosearch.search.toy import sequence

SMALL = MosaParameters(population_size=4, tournament_size=2)


def context(
    problem: ToyProblem, archive: Archive[ToyTest], progress: float = 0.0
) -> SearchContext[ToyTest]:
    return SearchContext(problem, archive, Random(1), lambda: progress)


def tell(
    algorithm: Mosa[ToyTest], archive: Archive[ToyTest], *evaluations: Evaluation[ToyTest]
) -> None:
    for evaluation in evaluations:
        archive.offer(evaluation)
    algorithm.tell(evaluations)


def scored(number: int, scores: dict[str, float], calls: int = 1) -> Evaluation[ToyTest]:
    return Evaluation((Step("put 0", number),) * calls, scores, (calls, 1), observation="long")


def numbers_of(algorithm: Mosa[ToyTest]) -> list[int]:
    return [member.evaluation.individual[0].number for member in algorithm.population]


def test_a_generation_is_as_large_as_the_population() -> None:
    archive: Archive[ToyTest] = Archive()
    problem = numbers(3)
    mosa = Mosa(context(problem, archive), SMALL)
    first = mosa.ask()
    assert len(first) == 4
    tell(mosa, archive, *map(problem.evaluate, first))
    assert len(mosa.ask()) == 4
    assert len(mosa.population) == 4


def test_responses_and_covered_targets_are_not_kept() -> None:
    archive: Archive[ToyTest] = Archive()
    mosa = Mosa(context(numbers(3), archive), SMALL)
    tell(mosa, archive, scored(1, {"covered": 1.0, "open": 0.5}))
    (member,) = mosa.population
    assert member.evaluation.observation is None
    assert member.evaluation.scores == {"open": 0.5}


def test_covered_targets_stop_being_objectives() -> None:
    archive: Archive[ToyTest] = Archive()
    mosa = Mosa(context(numbers(3), archive), MosaParameters(population_size=1))
    tell(mosa, archive, scored(1, {"a": 0.9}), scored(2, {"b": 0.5}, calls=2))
    archive.offer(scored(3, {"a": 1.0}))
    tell(mosa, archive, scored(4, {"b": 0.6}))
    assert numbers_of(mosa) == [4]


def test_mosa_prefers_the_shortest_test_for_targets_that_nothing_reaches() -> None:
    archive: Archive[ToyTest] = Archive(["never reached"])
    mosa = Mosa(context(numbers(3), archive), MosaParameters(population_size=2))
    pool = [scored(1, {"a": 0.9}, 3), scored(2, {"a": 0.8}, 2), scored(3, {}, 1)]
    tell(mosa, archive, *pool)
    assert sorted(numbers_of(mosa)) == [1, 3]


def test_dynamosa_ignores_targets_behind_an_uncovered_branch() -> None:
    archive: Archive[ToyTest] = Archive(["outer", "inner"])
    controlling: dict[str, Sequence[str]] = {"inner": ["outer"]}
    shared = SearchContext(
        numbers(3),
        archive,
        Random(1),
        lambda: 0.0,
        control_dependencies=lambda target: controlling.get(target, ()),
    )
    parameters = MosaParameters(population_size=2)
    dynamosa, mosa = DynaMosa(shared, parameters), Mosa(shared, parameters)
    pool = [scored(1, {"outer": 0.9}, 3), scored(2, {"outer": 0.8}, 2), scored(3, {}, 1)]
    for evaluation in pool:
        archive.offer(evaluation)
    dynamosa.tell(pool)
    mosa.tell(pool)
    assert sorted(numbers_of(dynamosa)) == [1, 2]
    assert sorted(numbers_of(mosa)) == [1, 3]
    covering = scored(4, {"outer": 1.0, "inner": 0.1}, 2)
    tell(dynamosa, archive, covering)
    assert numbers_of(dynamosa)[0] == 4


def test_linkage_is_learned_every_k_generations() -> None:
    archive: Archive[ToyTest] = Archive()
    problem = sequence()
    algorithm = LtMosa(
        context(problem, archive), LtMosaParameters(population_size=6, generations_per_model=2)
    )
    models = []
    for _ in range(4):
        tell(algorithm, archive, *map(problem.evaluate, algorithm.ask()))
        models.append(algorithm.model)
    assert models[0] is models[1]
    assert models[1] is not models[2]
    assert models[2] is models[3]


def test_the_first_linkage_is_learned_from_what_was_executed_before_the_first_question() -> None:
    archive: Archive[ToyTest] = Archive()
    problem = sequence()
    algorithm = LtMosa(context(problem, archive))
    algorithm.welcome([])  # a run that goes on from nothing
    visit = problem.evaluate((Step("create", 1), Step("read", 1)))
    algorithm.welcome([visit])
    assert frozenset({"create", "read"}) in algorithm.model.subsets


class Recording(LtMosa[ToyTest]):
    """Shows what recombination makes of a parent and a donor."""

    def recombined(self, parent: ToyTest, donor: ToyTest) -> ToyTest:
        return self._recombine(parent, donor)


def test_recombination_moves_whole_subsets_with_their_data() -> None:
    archive: Archive[ToyTest] = Archive()
    problem = sequence()
    algorithm = Recording(context(problem, archive))
    linked = (Step("create", 7), Step("delete", 7))
    algorithm.tell([problem.evaluate(linked), problem.evaluate((Step("read", 1),))])
    parent = (Step("read", 5),)
    children = [algorithm.recombined(parent, linked) for _ in range(40)]
    assert all(Step("read", 5) in child for child in children)
    assert any(linked == tuple(step for step in child if step.number == 7) for child in children)
    assert all(len(child) in (2, 3) for child in children)


def test_recombination_without_a_candidate_is_crossover() -> None:
    algorithm = Recording(context(sequence(), Archive()))
    parent, donor = (Step("read", 5), Step("read", 6)), (Step("create", 1), Step("read", 2))
    children = {algorithm.recombined(parent, donor) for _ in range(40)}
    assert (Step("read", 5), Step("read", 2)) in children


def test_the_number_of_mutations_rises() -> None:
    counted: list[int] = []

    class Counting(ToyProblem):
        def mutate(self, individual, rng, focus=None):  # type: ignore[no-untyped-def]
            counted.append(1)
            return super().mutate(individual, rng, focus)

    base = numbers(3)
    problem = Counting("counting", base.available, base.targets, base.application)
    for progress, expected in ((0.0, 4), (1.0, 40)):
        archive: Archive[ToyTest] = Archive()
        algorithm = LtMosa(context(problem, archive, progress), LtMosaParameters(population_size=4))
        algorithm.tell([problem.evaluate(test) for test in algorithm.ask()])
        counted.clear()
        algorithm.ask()
        assert len(counted) == expected


def test_the_variants_are_no_renamed_copies() -> None:
    problem = sequence()
    runs = [drive(factory, problem, 300).executed for factory in (Mosa, LtMosa)]
    assert runs[0] != runs[1]
