"""Decides what makes the exit code 1."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Container
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome

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
