"""Takes reads with several filters apart, of which one alone gives the same answer.

A list that one filter empties is as empty with two more, and no reader sees what those are for.
Each filter gets a test of its own instead, where these together run the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_evosearch.core.targets import QUERY
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.core.targets import is_inner
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import body_of
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.write.answers.page_texts import page_texts

MOST_FILTERS = 4
"""Most filters of a read that are looked at one by one."""

Test = FullEvaluation[Individual]


def taken_apart(
    test: Test,
    duty: frozenset[TargetId],
    execute: Callable[[Individual], Test],
    is_over: Callable[[], bool],
) -> list[Test]:
    """Return a test for each filter alone; the test itself where they are needed together."""
    individual, act = test.evaluation.individual, exchanges_of(test.evaluation)[-1]
    last = individual.calls[-1]
    filters = [one for one in last.inputs if one.location is Location.QUERY]
    if not 1 < len(filters) <= MOST_FILTERS or is_failing(act) or not reads(act) or is_over():
        return [test]
    parts = []
    for alone in filters:
        kept = tuple(one for one in last.inputs if one is alone or one not in filters)
        parts.append(execute(individual.with_call(len(individual) - 1, replace(last, inputs=kept))))
    answers = [exchanges_of(one.evaluation) for one in parts]
    is_whole = all(len(one) == len(individual) and not is_failing(one[-1]) for one in answers)
    is_enough = is_whole and any(_shown(one[-1]) == _shown(act) for one in answers)
    needed = code_in(test.covered) | {one for one in duty if not _is_detail(one)}
    together = frozenset[TargetId]().union(*(one.covered for one in parts))
    return parts if is_enough and needed <= together else [test]


def _is_detail(target: TargetId) -> bool:
    """Say whether a target is about how a condition or a query ends in detail."""
    return is_inner(target) or kind_of(target) == QUERY


def _shown(act: Exchange) -> tuple[object, ...]:
    """Return what an answer shows; of a page its texts, as what was sent stands in its fields."""
    response = act.response
    if response is None or not response.is_markup:
        return body_of(act)
    return response.status, *(one.text for one in page_texts(response.text))
