"""Leaves out calls and inputs that change nothing in the answer of a test.

A target such as a lookup that finds its key needs an input, even where nothing comes of it.  No
test of the answer can show that, so such a target does not keep an input.  Whole calls are tried
first, then all inputs of the call under test at once, then single ones.  A refusal keeps its
inputs: which of them decides is proven elsewhere (`harvest.proving.decisive`).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import CONVERSION
from pytest_evosearch.core.targets import LOOKUP
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.minimize.pieces import pieces_of
from pytest_evosearch.minimize.pieces import without_pieces
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of

VAIN = "it only needs an input that changes nothing in the answer"
"""Why a target inside an expression has no test."""

Execute = Callable[[Individual], FullEvaluation[Individual]]


def without_vain_parts(
    evaluation: FullEvaluation[Individual],
    duty: frozenset[TargetId],
    execute: Execute,
    is_over: Callable[[], bool],
) -> FullEvaluation[Individual]:
    """Return a test without what leaves its answer as it is, else the test itself."""
    whole = exchanges_of(evaluation.evaluation)
    act = whole[-1]
    if not _tells(act):
        return evaluation
    is_refused = act.status >= FIRST_REFUSAL
    needed = frozenset(one for one in duty if not _is_inner(one))
    calls = evaluation.evaluation.individual
    usual = {call.label: one.status for call, one in zip(calls, whole, strict=False)}
    best, tried = evaluation, {calls}
    again = True
    while again:
        again = False
        for attempt in _shorter(best.evaluation.individual, is_refused):
            if attempt in tried or is_over():
                continue
            tried.add(attempt)
            found = execute(attempt)
            exchanges = exchanges_of(found.evaluation)
            if [one.status for one in exchanges] != [usual[call.label] for call in attempt]:
                continue  # a deletion of what is not there any more, for example
            if _is_equal(exchanges[-1], act) and needed <= found.covered_by_call[-1]:
                best, again = found, True
                break
    return best


def _tells(act: Exchange) -> bool:
    """Say whether a call shows in its answer what came of it."""
    response = act.response
    if response is None or act.is_broken or not response.body.strip():
        return False
    if act.status >= FIRST_REDIRECT:
        return act.status >= FIRST_REFUSAL
    return is_safe(act.request.endpoint) or not response.has_form


def _is_inner(target: TargetId) -> bool:
    return kind_of(target) == BRANCH and target.endswith((*LOOKUP, *CONVERSION))


def _shorter(individual: Individual, is_refused: bool) -> Iterator[Individual]:
    """Yield variants with fewer calls, or without parts of an accepted one that it may omit."""
    *before, act = individual.calls
    for place in reversed(range(len(before))):
        yield Individual((*before[:place], *before[place + 1 :], act))
    pieces = [] if is_refused else list(pieces_of(act))
    for omitted in (pieces, *([one] for one in reversed(pieces))):
        yield Individual((*before, without_pieces(act, omitted)))


def _is_equal(other: Exchange, act: Exchange) -> bool:
    """Say whether two answers say the same."""
    if other.response is None or act.response is None:
        return False
    same = (act.status, act.response.body, act.mails, act.outgoing)
    return same == (other.status, other.response.body, other.mails, other.outgoing)
