"""Oracles of a project: checked before the search, and unable to end it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.bridge.hook_wiring.hook_calls import HookCalls
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.oracles.oracle import Oracle
from pytest_evosearch.oracles.oracle import SequenceOracle
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

HOOK = "pytest_evosearch_oracles"


def project_oracles(calls: HookCalls) -> tuple[AnyOracle, ...]:
    """Return the oracles of all implementations; raise `HookFailed` for another value."""
    if not calls.is_used(HOOK):
        return ()
    found: list[AnyOracle] = []
    for brought in calls.call(HOOK):
        if not isinstance(brought, (list, tuple)):
            raise HookFailed(
                f"{calls.origin(HOOK)} returned {brought!r:.60}, not a list of oracles"
            )
        found += (_guarded(oracle, calls) for oracle in brought)
    return tuple(found)


def _guarded(oracle: object, calls: HookCalls) -> AnyOracle:
    if isinstance(getattr(oracle, "code", None), str):
        if callable(getattr(oracle, "judge", None)):
            return GuardedOracle(oracle, calls)  # type: ignore[arg-type]
        if callable(getattr(oracle, "judge_sequence", None)) and isinstance(
            getattr(oracle, "fewest_calls", None), int
        ):
            return GuardedSequenceOracle(oracle, calls)  # type: ignore[arg-type]
    raise HookFailed(
        f"{calls.origin(HOOK)} returned {oracle!r:.60}, which is not an oracle: one has a text "
        "`code` and `judge(exchange, call)`, or `judge_sequence(exchanges)` and a number "
        "`fewest_calls`"
    )


class GuardedOracle:
    """Runs a project's oracle; where it fails, it finds nothing and the failure is reported."""

    def __init__(self, oracle: Oracle, calls: HookCalls) -> None:
        self.code = oracle.code
        self._oracle = oracle
        self._calls = calls

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Return what the oracle finds wrong."""
        return _faults_of(self.code, lambda: self._oracle.judge(exchange, call), call, self._calls)


class GuardedSequenceOracle:
    """Runs a project's oracle that judges the exchanges of one test together."""

    def __init__(self, oracle: SequenceOracle, calls: HookCalls) -> None:
        self.code = oracle.code
        self.fewest_calls = oracle.fewest_calls
        self._oracle = oracle
        self._calls = calls

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Return what the oracle finds wrong."""
        last = len(exchanges) - 1
        return _faults_of(
            self.code, lambda: self._oracle.judge_sequence(exchanges), last, self._calls
        )


def _faults_of(
    code: str, judge: Callable[[], Iterable[Fault] | None], last: int, calls: HookCalls
) -> list[Fault]:
    try:
        found = list(judge() or ())
    except Exception as error:
        failure = calls.failure(HOOK, error, f": the oracle {code!r}")
        calls.notify(f"{failure}; what it judged does not count as a fault")
        return []
    wrong = [one for one in found if not _is_fault(one, last)]
    if wrong:
        calls.notify(
            f"{calls.origin(HOOK)}: the oracle {code!r} reported {wrong[0]!r:.60}, which is not a "
            "fault of one of the calls that it was given"
        )
    return [one for one in found if _is_fault(one, last)]


def _is_fault(found: object, last: int) -> bool:
    return isinstance(found, Fault) and 0 <= found.call <= last
