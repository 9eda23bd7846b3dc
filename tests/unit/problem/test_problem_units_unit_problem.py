from __future__ import annotations

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import MOST_HARM
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.standins.shape import Shape

RNG = derive(1, "units")


def problem_of(*names: str) -> UnitProblem:
    units = by_key(units_of(names))
    return UnitProblem(units, Arguments(units), {key: [] for key in units})


def executed(test: UnitTest, run: Run, **scores: float) -> Evaluation[UnitTest]:
    return Evaluation(test, scores, size_of(test), run)


def test_a_method_follows_the_call_of_its_class() -> None:
    problem = problem_of("string:Formatter")

    test = problem.test_of(problem.units["string:Formatter.vformat"], RNG)

    assert test.calls[0].unit == "string:Formatter"
    assert test.act.unit == "string:Formatter.vformat"


def test_a_unit_that_costs_processes_is_given_up_but_not_the_last_one() -> None:
    problem = problem_of("colorsys:rgb_to_hsv", "colorsys:hsv_to_rgb")

    for key in ("colorsys:rgb_to_hsv", "colorsys:hsv_to_rgb"):
        for _ in range(MOST_HARM):
            test = problem.test_of(problem.units[key], RNG)
            problem.learn(executed(test, Run(harm="it did not end")))

    assert problem.testable == ["colorsys:hsv_to_rgb"]


def test_a_mutation_follows_what_a_condition_compared() -> None:
    problem = problem_of("textwrap:dedent")
    problem.arguments.learn(problem.units["textwrap:dedent"], {"text": Shape("str")})
    test = problem.test_of(problem.units["textwrap:dedent"], RNG)
    given = test.act.values()["text"]
    comparison = Comparison("branch", "==", given, "WELCOME10")
    problem.learn(executed(test, Run(comparisons=[comparison]), branch=0.5))

    mutants = [problem.mutate(test, RNG, focus="branch") for _ in range(20)]

    assert "WELCOME10" in [built(one.act.values()["text"]) for one in mutants]
