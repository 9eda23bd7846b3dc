"""From a finished search and its written suite to the rows of the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.evidence import Reproduction
from pytest_evosearch.engine.evidence import generated_rows
from pytest_evosearch.engine.evidence import reproduction_of
from pytest_evosearch.engine.evidence import skipped_rows
from pytest_evosearch.engine.evidence import source_files
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop import Statistics
from pytest_evosearch.engine.preparing.endpoint_rows import endpoint_rows
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.oracles.named_oracles import ORACLES
from pytest_evosearch.problem.http.exchanges.exchange import NO_SERVER_ERROR
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.writer import WrittenSuite

SELDOM = "it did not occur with the shorter requests of its test"


def summary(
    outcome: Outcome,
    ready: Prepared,
    loop: SearchLoop,
    specimens: Sequence[Specimen],
    suite: WrittenSuite,
    coverage: SuiteCoverage | None,
    replayed: Replays,
    root: Path,
) -> Outcome:
    """Return `outcome` with everything that the search and the writer know.

    The application is torn down by now, so nothing is executed.
    """
    archive = loop.archive
    return replace(
        outcome,
        faults=tuple(fault_rows(loop.statistics, specimens, suite, replayed)),
        shut_out=ready.problem.shut_out(),
        discovery=replace(
            outcome.discovery,
            endpoints=endpoint_rows(ready, loop.statistics.statuses, loop.statistics.calls),
            skipped=skipped_rows(ready),
        ),
        effort=Effort(
            evaluations=loop.evaluations,
            requests=sum(loop.statistics.calls.values()),
            seconds=loop.statistics.seconds,
            timeline=tuple(loop.statistics.timeline),
        ),
        targets=TargetSummary(
            covered=len(archive.covered),
            reached=len(archive.covered) + len(archive.best),
            known=len(archive.known),
            uncovered=replayed.uncovered,
            sources=source_files(ready, loop),
        ),
        suite=replace(
            outcome.suite,
            files=tuple(suite.files),
            tests=suite.tests,
            generated=generated_rows(specimens, suite, root),
            unverified=tuple(suite.unverified),
            extent=suite.extent,
            coverage=_measured(coverage),
        ),
    )


def fault_rows(
    statistics: Statistics,
    specimens: Sequence[Specimen],
    suite: WrittenSuite,
    replayed: Replays,
) -> Iterator[FaultRow]:
    """Yield a row for each fault, with how its test reproduces it, written or not.

    Faults with equal test, code, kind and message are one row with several endpoints.
    """
    rows: dict[tuple[str, ...], FaultRow] = {}
    for row in _rows_of_targets(statistics, specimens, suite, replayed):
        key = (row.test or f"{row.endpoint} {row.position}", row.code, row.kind, row.message)
        first = rows.setdefault(key, row)
        if first is not row:
            endpoints = {row.endpoint, *row.elsewhere, *first.elsewhere} - {first.endpoint}
            rows[key] = replace(first, elsewhere=tuple(sorted(endpoints)))
    yield from sorted(rows.values(), key=lambda row: (row.is_minor, row.needs_data))


def _rows_of_targets(
    statistics: Statistics,
    specimens: Sequence[Specimen],
    suite: WrittenSuite,
    replayed: Replays,
) -> Iterator[FaultRow]:
    shown_by: dict[TargetId, int] = {}
    for index, specimen in enumerate(specimens):
        if specimen.fault is not None and index in suite.test_of:
            shown_by.setdefault(specimen.fault.target, index)
    for target, index in _also_shown(statistics, specimens):
        if index in suite.test_of:
            shown_by.setdefault(target, index)
    for index, specimen in enumerate(specimens):  # those without a test
        if specimen.fault is not None:
            shown_by.setdefault(specimen.fault.target, index)
    for target, fault in statistics.faults.items():
        row = FaultRow(
            fault.code,
            fault.endpoint,
            fault.kind,
            fault.position,
            fault.message,
            explanation=_explanation(fault.code),
            is_minor=_is_minor(fault.code),
            way=fault.way,
        )
        index_of_test = shown_by.get(target)
        if index_of_test is not None:
            specimen = specimens[index_of_test]
            endpoint = specimen.act.request.endpoint
            arranged = any(step.request.rows for step in specimen.exchanges)
            row = replace(
                row,
                endpoint=endpoint,
                test=suite.test_of.get(index_of_test),
                needs_data=arranged,
            )
            if specimen.fault is not None and specimen.fault.target == target:
                row = replace(row, message=specimen.fault.message)  # of the simplest request
            row = _reproduced(row, reproduction_of(specimen.exchanges))
        elif target in replayed.faults:
            row = _reproduced(row, replayed.faults[target])
        if row.test is None:
            row = replace(row, untested=_why_untested(target, index_of_test, suite, replayed))
        others = statistics.fault_endpoints.get(target, set()) - {row.endpoint}
        yield replace(row, elsewhere=tuple(sorted(others)))


def _why_untested(
    target: TargetId, specimen: int | None, suite: WrittenSuite, replayed: Replays
) -> str:
    """Return why the fault has no test: the writer's reason, or the harvest's."""
    said = suite.reasons.get(specimen, "") if specimen is not None else ""
    return said or replayed.untested.get(target, "") or SELDOM


def _also_shown(
    statistics: Statistics, specimens: Sequence[Specimen]
) -> Iterator[tuple[TargetId, int]]:
    """Yield faults that tests of crashes show, too: their call has a 500 response."""
    for index, specimen in enumerate(specimens):
        if specimen.fault is None or specimen.fault.expectation != NO_SERVER_ERROR:
            continue
        for target in sorted(specimen.covered & statistics.faults.keys()):
            if statistics.faults[target].expectation == NO_SERVER_ERROR:
                yield target, index


def _is_minor(code: str) -> bool:
    return code in ORACLES.names and getattr(ORACLES.get(code), "is_minor", False)


def _explanation(code: str) -> str:
    return ORACLES.get(code).explanation if code in ORACLES.names else ""


def _reproduced(row: FaultRow, how: Reproduction) -> FaultRow:
    return replace(row, traceback=how.traceback, curl=how.curl, user=how.user)


def _measured(coverage: SuiteCoverage | None) -> MeasuredCoverage | None:
    if coverage is None:
        return None
    return MeasuredCoverage(
        coverage.covered_lines,
        coverage.total_lines,
        coverage.covered_branches,
        coverage.total_branches,
    )
