"""Access to the observation of an evaluated individual of calls."""

from __future__ import annotations

from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual


def observed(evaluation: Evaluation[Individual]) -> Observation:
    """Return the observation of an individual of calls; general layers do not know its type."""
    observation = evaluation.observation
    assert isinstance(observation, Observation)
    return observation


def exchanges_of(evaluation: Evaluation[Individual]) -> tuple[Exchange, ...]:
    """Return the exchanges of an evaluated individual, in order."""
    return observed(evaluation).exchanges
