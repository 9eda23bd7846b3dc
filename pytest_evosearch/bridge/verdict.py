"""Decides what makes the exit code 1."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Container
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_evosearch.bridge.baseline import Baseline
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.settings.checked import Settings

CACHE_KEY = "evosearch/known-faults"
UNSTABLE = "unstable"
"""Word in the reason for dropping a test whose facts change from run to run."""


class KnownFaults:
    """The faults of earlier runs, kept in pytest's cache, as a container of identities."""

    def __init__(self, config: pytest.Config) -> None:
        self._cache: Any = getattr(config, "cache", None)

    def __contains__(self, identity: object) -> bool:
        return self._cache is not None and identity in self._cache.get(CACHE_KEY, [])

    def remember(self, outcome: Outcome) -> None:
        """Add the faults of `outcome`; does nothing without a cache."""
        if self._cache is not None and outcome.faults:
            known = {*self._cache.get(CACHE_KEY, []), *fault_identities(outcome)}
            self._cache.set(CACHE_KEY, sorted(known))


def known_faults(
    config: pytest.Config, settings: Settings, outcome: Outcome
) -> tuple[Container[str], list[str]]:
    """Return the identities that are not new, from the baseline or the cache, and lines to print.

    A baseline that does not exist is written, unless the search was interrupted.
    """
    if settings.reports.baseline is None:
        return KnownFaults(config), []
    baseline = Baseline(settings.reports.baseline, outcome)
    if not baseline.is_new:
        gone = baseline.gone
        lines = [f"baseline: {gone} of its faults did not occur again"] if gone else []
        return baseline, lines
    if outcome.reason in (ExitReason.INTERRUPTED, ExitReason.FAILED):
        return baseline, []
    baseline.write()
    written = counted(len(outcome.faults), "fault")
    return baseline, [f"baseline: {written} written to {settings.reports.baseline}"]


def failures(outcome: Outcome, fail_on: Collection[str], known: Container[str]) -> Iterator[str]:
    """Yield a sentence for each reason why the run fails."""
    for name in outcome.suite.unverified:
        yield f"{name} fails its own verification"
    major = outcome.major_faults
    if "fault" in fail_on and major:
        yield f"failed: {counted(len(major), 'fault')} (--evosearch-fail-on=fault)"
    rows = zip(outcome.faults, fault_identities(outcome), strict=True)
    fresh = [
        f"{row.endpoint} {row.kind} [{one}]"
        for row, one in rows
        if one not in known and not row.is_minor
    ]
    if "new-fault" in fail_on and fresh:
        number = counted(len(fresh), "new fault")
        yield f"failed: {number} (--evosearch-fail-on=new-fault): {', '.join(fresh)}"
    shaky = [row for row in outcome.suite.dropped if UNSTABLE in row.reason]
    if "unstable" in fail_on and shaky:
        yield f"failed: {counted(len(shaky), 'unstable test')} (--evosearch-fail-on=unstable)"
