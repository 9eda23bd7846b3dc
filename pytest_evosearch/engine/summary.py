"""From a finished search and its written suite to the rows of the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop import Statistics
from pytest_evosearch.engine.preparation import Prepared
from pytest_evosearch.problem.http.endpoint import Endpoint
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.write.measure import SuiteCoverage
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.suite import WrittenSuite

OWN_KINDS = ("status", FAULT)
"""Targets that come up during the search; the others are known from the source."""


def summary(
    outcome: Outcome,
    ready: Prepared,
    loop: SearchLoop,
    specimens: Sequence[Specimen],
    suite: WrittenSuite,
    coverage: SuiteCoverage | None,
) -> Outcome:
    """Return `outcome` with everything that the search and the writer know."""
    archive = loop.archive
    found_on_the_way = sum(1 for target in archive.known if kind_of(target) in OWN_KINDS)
    return replace(
        outcome,
        evaluations=loop.meter.evaluations,
        requests=ready.executor.requests,
        seconds=loop.meter.elapsed,
        covered_targets=len(archive.covered),
        reached_targets=len(archive.covered) + len(archive.best),
        known_targets=ready.known_targets() + found_on_the_way,
        endpoints=endpoint_rows(ready, loop.statistics),
        faults=_fault_rows(loop.statistics, specimens, suite),
        files=tuple(suite.files),
        tests=suite.tests,
        uncovered=_uncovered_rows(ready, loop),
        coverage=_measured(coverage),
        unverified=tuple(suite.unverified),
        timeline=tuple(loop.statistics.timeline),
    )


def endpoint_rows(ready: Prepared, statistics: Statistics) -> tuple[EndpointRow, ...]:
    """Return a row for each endpoint, with what was learnt of it so far."""
    return tuple(
        EndpointRow(
            endpoint.key,
            tuple(sorted(statistics.statuses.get(endpoint.key, ()))),
            statistics.calls.get(endpoint.key, 0),
            len(ready.problem.endpoint(endpoint.key).parameters),
            _parameter_names(ready.problem.endpoint(endpoint.key)),
        )
        for endpoint in ready.endpoints
    )


def _parameter_names(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the names of the parameters; a body without a name goes by its location."""
    return tuple(parameter.name or parameter.location.value for parameter in endpoint.parameters)


def shown_path(path: Path, root: Path) -> str:
    """Return `path` relative to `root` where it lies below, with a trailing slash."""
    try:
        return f"{path.relative_to(root).as_posix()}/"
    except ValueError:
        return f"{path.as_posix()}/"


def _fault_rows(
    statistics: Statistics, specimens: Sequence[Specimen], suite: WrittenSuite
) -> tuple[FaultRow, ...]:
    shown_by: dict[TargetId, str] = {}
    for index, specimen in enumerate(specimens):
        if specimen.fault is not None and index in suite.test_of:
            shown_by.setdefault(specimen.fault.target, suite.test_of[index])
    return tuple(
        _fault_row(fault, shown_by.get(target)) for target, fault in statistics.faults.items()
    )


def _fault_row(fault: Fault, test: str | None) -> FaultRow:
    return FaultRow(fault.code, fault.endpoint, fault.kind, fault.position, fault.message, test)


def _uncovered_rows(ready: Prepared, loop: SearchLoop) -> tuple[UncoveredRow, ...]:
    if ready.recording is None:
        return ()
    background = ready.recording.background()
    rows = []
    for target in ready.recording.catalog.targets():
        if loop.archive.is_covered(target) or target in background:
            continue
        score = loop.archive.best.get(target, 0.0)
        reason = "never reached" if not score else "reached, but never taken"
        rows.append(UncoveredRow(target, score, reason))
    return tuple(rows)


def _measured(coverage: SuiteCoverage | None) -> MeasuredCoverage | None:
    if coverage is None:
        return None
    return MeasuredCoverage(
        coverage.covered_lines,
        coverage.total_lines,
        coverage.covered_branches,
        coverage.total_branches,
    )
