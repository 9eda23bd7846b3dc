"""Sends calls again that were cut off before their whole time limit, and those that got a 5xx.

In a short search a call gets less time than `request.timeout`.  Otherwise the first hanging pages
would take all the time.  At the end such calls are sent with the whole limit:

    it hangs again       a freeze, which the report shows
    it ends              no fault; where the budget has room for its tests, its endpoint gets the
                         whole limit from now on
    no time to ask       not reported as a fault, but named in a notice
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from math import inf

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.oracles.server_error import CHOSEN_FAILURE
from pytest_evosearch.oracles.server_error import FREEZE
from pytest_evosearch.oracles.server_error import STATUS_5XX
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.observed import observed

SHOWN_ENDPOINTS = 5

SLOWEST_SHARE = 0.1
"""Largest share of the budget for one execution of a test that is minimised and verified."""


@dataclass
class Confirmation:
    """The results for the freezes that a search has seen."""

    shortened: float
    """Seconds after which the calls were cut off."""
    whole: float
    """Seconds that a request may take."""
    slow: list[str] = field(default_factory=list)
    """Endpoints that responded within the whole limit."""
    unknown: list[str] = field(default_factory=list)
    """Endpoints for which there was no time."""

    def notices(self) -> tuple[str, ...]:
        """Return notices about calls that were cut off but are no faults."""
        found = []
        if self.slow:
            found.append(f"{_named(self.slow)} took longer than {self.shortened:.1f} s, but ended")
        if self.unknown:
            found.append(
                f"{_named(self.unknown)} did not end within {self.shortened:.1f} s: this is a "
                f"fault only if it takes longer than {self.whole:g} s (request.timeout), and there "
                "was no time to find out (give a larger budget)"
            )
        return tuple(found)


def confirm_freezes(ready: Prepared, loop: SearchLoop, seconds: float) -> Confirmation:
    """Send calls again that were cut off early, for at most `seconds`; withdraw those that end."""
    limit = ready.limit
    found, end = Confirmation(limit.present, limit.seconds), monotonic() + seconds
    seen = _freezes(loop) if limit.is_shortened else {}
    for target, endpoint in seen.items():
        evaluation = loop.archive.covered.get(target)
        if evaluation is None or monotonic() >= end:
            found.unknown.append(endpoint)
        elif _hangs(ready, loop, endpoint, evaluation.individual):
            continue
        else:
            found.slow.append(endpoint)
        loop.archive.forget((target,))
        loop.statistics.forget_freezes((target,))
    return found


def tell_answers(ready: Prepared, loop: SearchLoop) -> None:
    """Take each 5xx that the application answers without an exception for no fault of its own.

    Whether code caught an exception shows where all of it is recorded.
    """
    for target, fault in [*loop.statistics.faults.items()]:
        evaluation = loop.archive.covered.get(target)
        if fault.kind != STATUS_5XX or evaluation is None:
            continue
        again = ready.executor.evaluate_fully(evaluation.individual).evaluation
        seen = observed(again)
        answers = [one for one in seen.faults if one.code == CHOSEN_FAILURE]
        if answers and not any(one.target == target for one in seen.faults):
            loop.archive.forget((target,))
            loop.archive.offer(again)
            del loop.statistics.faults[target]
            for one in answers:
                loop.statistics.note_fault(one, seen.exchanges)


def freezes_of(ready: Prepared, loop: SearchLoop) -> frozenset[TargetId]:
    """Return the freezes that need not be executed again, because no test is made of them.

    A running server may end such a call later.  So its freezes are executed again.
    """
    return frozenset() if ready.handle.outside else frozenset(_freezes(loop))


def _hangs(ready: Prepared, loop: SearchLoop, endpoint: str, individual: Individual) -> bool:
    """Say whether a test hangs with the whole time limit; if not, `endpoint` keeps this limit."""
    slow, began = ready.executor.slow, monotonic()
    slow.add(endpoint)
    evaluation = loop.evaluate(individual)
    exchanges = exchanges_of(evaluation)
    hangs = not exchanges or any(one.frozen for one in exchanges)
    budget = loop.meter.budget.seconds or inf
    if hangs or monotonic() - began > SLOWEST_SHARE * budget:
        slow.discard(endpoint)
    else:
        evaluation, _newly = loop.offered(evaluation)
        loop.statistics.note_answers(observed(evaluation))
    return hangs


def _freezes(loop: SearchLoop) -> Mapping[TargetId, str]:
    """Return the freezes that were seen, with their endpoints."""
    faults = loop.statistics.faults.items()
    return {target: fault.endpoint for target, fault in faults if fault.code == FREEZE}


def _named(endpoints: Sequence[str]) -> str:
    further = len(endpoints) - SHOWN_ENDPOINTS
    named = ", ".join(endpoints[:SHOWN_ENDPOINTS])
    return f"{named} and {further} more" if further > 0 else named
