"""Leaves out calls, rows and inputs that change nothing in the answer of a test.

A target such as a lookup that finds its key, or a query that finds rows, needs an input even where
nothing comes of it.  No test of the answer can show that, so such a target does not keep an input.
Each removal is executed: whole calls first, then all inputs at once, then single ones.  Forms stay
as pages send them.  What decides a refusal is proven elsewhere (`harvest.proving.decisive`).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Container
from collections.abc import Iterator

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import QUERY
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import is_inner
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.minimize.pieces import pieces_of
from pytest_evosearch.minimize.pieces import without_pieces
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of

MOST_REMOVALS = 12
"""Most executions for one test."""

Execute = Callable[[Individual], FullEvaluation[Individual]]


def without_vain_parts(
    evaluation: FullEvaluation[Individual],
    duty: frozenset[TargetId],
    execute: Execute,
    is_over: Callable[[], bool],
) -> FullEvaluation[Individual]:
    """Return a test without what leaves its answer as it is, else the test itself."""
    whole = exchanges_of(evaluation.evaluation)
    if not _tells(whole[-1]):
        return evaluation
    needed = frozenset(one for one in duty if not is_inner(one) and kind_of(one) != QUERY)
    calls = evaluation.evaluation.individual
    usual = {call.label: one.status for call, one in zip(calls, whole, strict=False)}
    kept = {Location.FORM.value}
    kept |= {Location.JSON.value} if whole[-1].status >= FIRST_REFUSAL else set()
    tried = {calls}
    while True:
        for attempt in _shorter(evaluation.evaluation.individual, kept):
            if attempt in tried or is_over() or len(tried) > MOST_REMOVALS:
                continue
            tried.add(attempt)
            found = execute(attempt)
            exchanges = exchanges_of(found.evaluation)
            if [one.status for one in exchanges] != [usual[call.label] for call in attempt]:
                continue  # a deletion of what is not there any more, for example
            if _is_equal(exchanges[-1], whole[-1]) and needed <= found.covered_by_call[-1]:
                evaluation = found
                break
        else:
            return evaluation


def _tells(act: Exchange) -> bool:
    """Say whether a call shows in its answer what came of it."""
    response = act.response
    if response is None or act.is_broken or not response.body.strip():
        return False
    if act.status >= FIRST_REDIRECT:
        return act.status >= FIRST_REFUSAL
    return is_safe(act.request.endpoint) or not response.has_form


def _shorter(individual: Individual, kept: Container[str]) -> Iterator[Individual]:
    """Yield variants with fewer calls, or without parts of the last one in other locations."""
    *before, act = individual.calls
    for place in reversed(range(len(before))):
        yield Individual((*before[:place], *before[place + 1 :], act))
    pieces = [one for one in pieces_of(act) if one.location not in kept]
    for omitted in (pieces, *([one] for one in reversed(pieces))):
        yield Individual((*before, without_pieces(act, omitted)))


def _is_equal(other: Exchange, act: Exchange) -> bool:
    """Say whether two answers say the same."""
    if other.response is None or act.response is None:
        return False
    same = (act.status, act.response.body, act.mails, act.outgoing)
    return same == (other.status, other.response.body, other.mails, other.outgoing)
