from __future__ import annotations

import pytest

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.action_values import R_MAX
from pytest_evosearch.search.action_values import Move
from pytest_evosearch.search.algorithms import parameters_of
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.conformance import drive
from pytest_evosearch.search.q_learning import QLearning
from pytest_evosearch.search.q_learning import QLearningParameters
from pytest_evosearch.search.random_search import RandomSearch
from pytest_evosearch.search.toy import LONGEST
from pytest_evosearch.search.toy import Step
from pytest_evosearch.search.toy import ToyProblem
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import sequence

GREEDY = QLearningParameters(epsilon=0.0, episode_length=100)


class Bench:
    """Drives Q-learning by hand on the toy store."""

    def __init__(
        self, parameters: QLearningParameters = GREEDY, problem: ToyProblem | None = None
    ) -> None:
        self.problem = problem or sequence()
        self.archive: Archive[ToyTest] = Archive()
        self.learner = QLearning(
            SearchContext(self.problem, self.archive, Random(1), lambda: 0.0), parameters
        )

    def ask(self) -> ToyTest:
        (test,) = self.learner.ask()
        return test

    def tell(self, test: ToyTest, scores: dict[TargetId, float] | None = None) -> None:
        evaluation = Evaluation(test, scores or {}, (len(test), 1))
        self.archive.offer(evaluation)
        self.learner.tell([evaluation])

    def step(self) -> ToyTest:
        test = self.ask()
        self.tell(test)
        return test

    def taught(self, *actions: str, scores: dict[TargetId, float] | None = None) -> ToyTest:
        """Tell what nobody asked for."""
        test = tuple(Step(action, 7) for action in actions)
        self.tell(test, scores)
        return test


def test_every_action_is_tried_before_one_is_repeated() -> None:
    bench = Bench(QLearningParameters(gamma=0.2, epsilon=0.0, episode_length=1))
    assert sorted(bench.step()[0].action for _ in range(3)) == ["create", "delete", "read"]


def test_a_step_that_changes_the_state_stays_and_any_other_is_taken_off() -> None:
    bench = Bench()
    previous: ToyTest = ()
    for _ in range(30):
        test = bench.step()
        assert test[:-1] == previous[: len(test) - 1]
        states = bench.problem.states(bench.problem.evaluate(test))
        if states[-1] != (states[-2] if len(states) > 1 else ""):
            previous = test
        assert all(step.action != "read" for step in previous)


def test_an_episode_is_over_after_so_many_tests() -> None:
    bench = Bench(QLearningParameters(epsilon=0.0, episode_length=3))
    lengths = [len(bench.step()) for _ in range(9)]
    assert lengths[0] == lengths[3] == lengths[6] == 1
    assert max(lengths) <= 3


def test_a_full_test_is_never_extended() -> None:
    names = tuple(f"do {number}" for number in range(LONGEST + 5))
    problem = ToyProblem("long", names, (), lambda _test: {}, frozenset(names))
    bench = Bench(problem=problem)
    lengths = [len(bench.step()) for _ in range(60)]
    full = lengths.index(LONGEST)
    assert lengths[full + 1] == 1
    assert max(lengths) == LONGEST


def test_what_was_executed_before_the_first_ask_counts() -> None:
    bench = Bench()
    bench.taught("create", "read")
    values = bench.learner.values
    assert values.value("create", Move("read")) == R_MAX / 2 + 0.5 * R_MAX
    assert values.value("", Move("create")) == R_MAX / 2 + 0.5 * values.value(
        "create", Move("read")
    )


def test_an_open_target_is_aimed_at_from_the_state_of_its_closest_test() -> None:
    bench = Bench()
    bench.taught("create", "read", scores={"near": 0.5})
    assert bench.learner.variations == {"near": "create"}
    assert bench.learner.values.value("create", Move(target="near")) == R_MAX
    bench.taught("read", scores={"near": 0.4})
    assert bench.learner.variations == {"near": "create"}
    bench.taught("read", scores={"near": 0.6})
    assert bench.learner.variations == {"near": ""}


def test_coming_closer_makes_a_variation_new_and_failing_makes_it_old() -> None:
    problem = sequence()
    lonely = ToyProblem("lonely", (), (), problem.application)
    bench = Bench(problem=lonely)
    aim = Move(target="near")
    bench.taught("read", scores={"near": 0.5})
    bench.tell(bench.ask(), {"near": 0.5})
    assert bench.learner.values.value("", aim) < 2 * R_MAX
    failed = bench.learner.values.value("", aim)
    bench.tell(bench.ask(), {"near": 0.3})
    assert bench.learner.values.value("", aim) < failed
    bench.tell(bench.ask(), {"near": 0.7})
    assert bench.learner.values.value("", aim) == R_MAX


def test_an_equally_close_variation_is_what_is_varied_next() -> None:
    bench = Bench(problem=ToyProblem("lonely", (), (), lambda _test: {}))
    bench.taught("read", scores={"near": 0.5})
    mutant = (Step("read", 500),)
    bench.ask()
    bench.tell(mutant, {"near": 0.5})
    (varied,) = bench.ask()
    assert abs(varied.number - 500) in {2**power for power in range(9)}


def test_covered_targets_are_not_aimed_at() -> None:
    bench = Bench(QLearningParameters(epsilon=0.0, episode_length=1))
    bench.taught("read", scores={"one": 0.5, "two": 0.5})
    bench.taught("read", scores={"one": 1.0})
    assert bench.learner.variations == {"two": ""}
    bench.archive.offer(Evaluation((Step("read", 1),), {"two": 1.0}, (1, 1)))
    for _ in range(5):
        bench.step()
    assert bench.learner.variations == {}


def test_a_sample_is_where_an_episode_goes_on_from() -> None:
    bench = Bench(QLearningParameters(epsilon=1.0))
    bench.ask()
    sample = (Step("create", 3), Step("read", 3))
    bench.tell(sample)
    bench.learner.parameters = GREEDY
    test = bench.ask()
    assert test[:2] == sample
    assert len(test) == 3


def test_a_budget_that_ends_before_the_outcome_does_no_harm() -> None:
    bench = Bench()
    bench.ask()
    bench.learner.tell([])
    assert len(bench.step()) == 1


def test_a_problem_that_offers_nothing_is_sampled() -> None:
    bench = Bench(problem=Silent("silent", ("read",), (), lambda _test: {}))
    assert {step.action for step in bench.ask()} == {"read"}


class Silent(ToyProblem):
    """Samples, but never says what could come next."""

    def offers(self, individual: ToyTest | None, rng: Random) -> tuple[str, ...]:
        return ()


@pytest.mark.parametrize("gamma", ["1.0", "1.5", "-0.1", "nan"])
def test_gamma_must_let_the_future_fade(gamma: str) -> None:
    with pytest.raises(InvalidSetting, match=r"'qlearning.gamma' takes a number from 0 to 0.999"):
        parameters_of("qlearning", QLearningParameters, {"gamma": gamma})


def test_it_is_no_renamed_random_search() -> None:
    problem = sequence()
    runs = [drive(factory, problem, 300).executed for factory in (QLearning, RandomSearch)]
    assert runs[0] != runs[1]
