"""Compares two executions of one test by the answers to its calls and by what they cover."""

from __future__ import annotations

from collections.abc import Collection

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of

LARGEST_COMPARED = 20_000
"""Bytes of a JSON body up to which its shape is compared."""


def first_difference(
    one: Evaluation[Individual], other: Evaluation[Individual], retired: Collection[TargetId]
) -> int | None:
    """Return the first call that was answered otherwise in the other execution.

    Where all were answered alike, but the executions cover other targets, it is the last call;
    those that are `retired` may be missing in both. None means that nothing differs, or that a call
    did not end: then a difference proves nothing.
    """
    pairs = list(zip(exchanges_of(one), exchanges_of(other), strict=False))
    for place, (mine, others) in enumerate(pairs):
        if mine.frozen or others.frozen:
            return None
        if _answer(mine) != _answer(others):
            return place
    if pairs and (_covered(one) ^ _covered(other)).difference(retired):
        return len(pairs) - 1
    return None


def _covered(evaluation: Evaluation[Individual]) -> set[TargetId]:
    return {target for target, score in evaluation.scores.items() if score >= COVERED}


def _answer(exchange: Exchange) -> tuple[object, ...]:
    """Return what two executions of one call have in common: status, failure, form of the body."""
    crash, response = exchange.crash, exchange.response
    failure = (crash.type_name, crash.position) if crash is not None else None
    return exchange.status, failure, _shape_of_body(response) if response is not None else None


def _shape_of_body(response: Response) -> object:
    """Return the keys and the kinds of values of a JSON body; '' for any other body."""
    if len(response.body) > LARGEST_COMPARED or response.body.lstrip()[:1] not in (b"{", b"["):
        return ""
    try:
        return _shape(json.loads(response.body))
    except (ValueError, RecursionError):
        return ""


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: _shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    return type(value).__name__
