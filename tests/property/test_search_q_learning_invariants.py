from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.action_values import R_MAX
from pytest_evosearch.search.action_values import ActionValues
from pytest_evosearch.search.action_values import Move
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.q_learning import QLearning
from pytest_evosearch.search.q_learning import QLearningParameters
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import sequence

reproducibly = settings(deadline=None, database=None)

STATE = strategies.sampled_from(["", "created", "deleted"])
ACTION = strategies.sampled_from(["create", "read", "delete"])
SCORE = strategies.sampled_from([0.0, 0.1, 0.4, 0.8, 1.0])
OUTCOMES = strategies.lists(
    strategies.dictionaries(strategies.sampled_from("abcde"), SCORE), max_size=40
)


@reproducibly
@given(
    strategies.floats(0.0, 0.99),
    strategies.lists(strategies.tuples(STATE, ACTION, STATE), max_size=200),
)
def test_values_stay_between_nothing_and_all_rewards_there_are(
    gamma: float, steps: list[tuple[str, str, str]]
) -> None:
    values = ActionValues(gamma, ["create", "read", "delete"])
    for state, action, next_state in steps:
        values.learn(state, Move(action), next_state)
        assert 0.0 < values.value(state, Move(action)) <= R_MAX / (1.0 - gamma)
        best = values.best_moves(state, {"create", "read", "delete"})
        assert {values.value(state, move) for move in best} == {values.best_value(state)}


@reproducibly
@given(OUTCOMES, strategies.sampled_from([0.0, 0.3, 1.0]), strategies.integers(0, 9))
def test_variations_aim_exactly_at_open_targets(
    outcomes: list[dict[str, float]], epsilon: float, seed: int
) -> None:
    archive: Archive[ToyTest] = Archive()
    problem = sequence()
    learner = QLearning(
        SearchContext(problem, archive, Random(seed), lambda: 0.0),
        QLearningParameters(epsilon=epsilon, episode_length=4),
    )
    for scores in outcomes:
        (individual,) = learner.ask()
        evaluation = Evaluation(individual, scores, (len(individual), 1))
        archive.offer(evaluation)
        learner.tell([evaluation])
        assert set(learner.variations) == set(archive.open_targets())
        for target, state in learner.variations.items():
            homes = [s for s in learner.values.states if holds(learner.values, s, target)]
            assert homes == [state]


def holds(values: ActionValues, state: str, target: str) -> bool:
    """Say whether a variation that aims at `target` is a move of `state`."""
    try:
        values.value(state, Move(target=target))
    except KeyError:
        return False
    return True
