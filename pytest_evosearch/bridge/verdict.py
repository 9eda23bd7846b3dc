"""Decides what makes the exit code 1."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Container
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_evosearch.bridge.baseline import Baseline
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings import Settings

CACHE_KEY = "evosearch/known-faults"
UNSTABLE = "unstable"
"""Word in the reason of a test that was dropped because its facts change from run to run."""


class KnownFaults:
    """The faults of earlier runs, kept in pytest's cache."""

    def __init__(self, config: pytest.Config) -> None:
        self._cache: Any = getattr(config, "cache", None)

    def __contains__(self, fault: object) -> bool:
        known: list[str] = self._cache.get(CACHE_KEY, []) if self._cache is not None else []
        return isinstance(fault, FaultRow) and _identity(fault) in known

    def remember(self, outcome: Outcome) -> None:
        """Add the faults of `outcome`; does nothing without a cache."""
        if self._cache is not None and outcome.faults:
            known = set(self._cache.get(CACHE_KEY, []))
            known.update(_identity(fault) for fault in outcome.faults)
            self._cache.set(CACHE_KEY, sorted(known))


def _identity(fault: FaultRow) -> str:
    """Name a fault so that editing the lines above it does not make it new."""
    path = fault.position.rpartition(":")[0]
    return f"{fault.code} {fault.endpoint} {fault.kind} {path}"


def known_faults(
    config: pytest.Config, settings: Settings, outcome: Outcome
) -> tuple[Container[FaultRow], list[str]]:
    """Return the faults that are not new, from the baseline file or the cache, and what to say.

    A baseline that does not exist is written, unless the search was cut short.
    """
    if settings.baseline is None:
        return KnownFaults(config), []
    baseline = Baseline(settings.baseline, outcome)
    if not baseline.is_new:
        gone = baseline.gone
        lines = [f"baseline: {gone} of its faults did not come up again"] if gone else []
        return baseline, lines
    if outcome.reason in (ExitReason.INTERRUPTED, ExitReason.FAILED):
        return baseline, []
    baseline.write()
    return baseline, [f"baseline: {len(outcome.faults)} faults written to {settings.baseline}"]


def failures(
    outcome: Outcome, fail_on: Collection[str], known: Container[FaultRow]
) -> Iterator[str]:
    """Yield a sentence for everything that makes the run fail."""
    for name in outcome.unverified:
        yield f"{name} fails its own verification"
    if "fault" in fail_on and outcome.faults:
        yield f"failed: {len(outcome.faults)} faults (--evosearch-fail-on=fault)"
    fresh = [fault for fault in outcome.faults if fault not in known]
    if "new-fault" in fail_on and fresh:
        yield f"failed: {len(fresh)} new faults (--evosearch-fail-on=new-fault)"
    shaky = [row for row in outcome.dropped if UNSTABLE in row.reason]
    if "unstable" in fail_on and shaky:
        yield f"failed: {len(shaky)} unstable tests (--evosearch-fail-on=unstable)"
