"""From a finished search and its written suite to the rows of the outcome."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.chance import without_chance
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.browsing.page_problems import fault_rows as page_fault_rows
from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.evidence import Reproduction
from pytest_evosearch.engine.evidence import read_source
from pytest_evosearch.engine.evidence import reproduction_of
from pytest_evosearch.engine.evidence import source_files
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.description import routed_endpoints
from pytest_evosearch.engine.preparing.endpoint_rows import endpoint_rows
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.search_statistics import Statistics
from pytest_evosearch.harvest.worthy_faults import HOSTILE
from pytest_evosearch.oracles.named_oracles import ORACLES
from pytest_evosearch.oracles.server_error import CHOSEN_FAILURE
from pytest_evosearch.problem.http.exchanges.reported_faults import NO_SERVER_ERROR
from pytest_evosearch.report.outcome import Answer
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.report.page_visits import BrowserSummary
from pytest_evosearch.report.page_visits import WalkSummary
from pytest_evosearch.sut.finding.unsearchable import unsearchable
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.written_suite import WrittenSuite

LEFT_OUT = "endpoint left out (--evosearch-only, --evosearch-skip; static files by default)"
DOWN = "it is down"
HELD_BACK = "blocked by the sandbox"
TOO_LATE = "imported before the search could watch it"
NOT_INSTRUMENTED = "not watched, or not to the end"

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
    archive, browser = loop.archive, outcome.effort.browser
    of_pages = page_fault_rows(browser.problems if browser else ())
    return replace(
        outcome,
        faults=(*fault_rows(loop.statistics, specimens, suite, replayed), *of_pages),
        shut_out=ready.problem.shut_out(),
        discovery=replace(
            outcome.discovery,
            endpoints=endpoint_rows(ready, loop.statistics.statuses, loop.statistics.calls),
            skipped=skipped_rows(ready),
        ),
        effort=_effort(loop, browser),
        targets=TargetSummary(
            covered=len(archive.covered),
            reached=len(archive.covered) + len(archive.best),
            known=len(archive.known),
            uncovered=replayed.uncovered.rows(),
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


def _effort(loop: SearchLoop, browser: BrowserSummary | None) -> Effort:
    walking = loop.occasions.walking
    return Effort(
        evaluations=loop.evaluations,
        requests=sum(loop.statistics.calls.values()),
        seconds=loop.statistics.seconds,
        timeline=tuple(loop.statistics.timeline),
        walks=walking.summary() if walking else WalkSummary(),
        browser=browser,
    )


def fault_rows(
    statistics: Statistics,
    specimens: Sequence[Specimen],
    suite: WrittenSuite,
    replayed: Replays,
) -> Iterator[FaultRow]:
    """Yield a row for each fault, with how its test reproduces it, written or not.

    Faults with equal test, code, kind and message are one row with several endpoints; so are those
    of one line without a test of their own, those of one line with one test, and those of values
    that no client sends. What differs by chance tells no faults apart.
    """
    found = [
        replace(row, message=without_chance(row.message))
        for row in _rows_of_targets(statistics, specimens, suite, replayed)
    ]
    tests = {_what_fails(row): row.test for row in reversed(found) if row.test is not None}
    rows: dict[tuple[str, ...], FaultRow] = {}
    keys: dict[tuple[str, ...], tuple[str, ...]] = {}
    for row in found:
        place, *what = _what_fails(row)
        test = row.test or tests.get((place, *what))
        common = test or (HOSTILE if row.untested == HOSTILE else "")
        key = (common or place, *what)
        if test and row.file:
            key = keys.setdefault((test, place, row.code), key)
        first = rows.setdefault(key, row)
        if first is not row:
            shown = row if first.test is None and row.test is not None else first
            endpoints = {row.endpoint, first.endpoint, *row.elsewhere, *first.elsewhere}
            elsewhere = tuple(sorted(endpoints - {shown.endpoint}))
            rows[key] = replace(shown, elsewhere=elsewhere)
    yield from sorted(rows.values(), key=lambda row: (row.is_minor, row.needs_data))


def _what_fails(row: FaultRow) -> tuple[str, ...]:
    """Return place, code, kind and message; without a line, the endpoint is part of the place."""
    place = row.position if row.file else f"{row.endpoint} {row.position}"
    return place, row.code, row.kind, row.message


def _rows_of_targets(
    statistics: Statistics,
    specimens: Sequence[Specimen],
    suite: WrittenSuite,
    replayed: Replays,
) -> Iterator[FaultRow]:
    shown_by = _shown_by(statistics, specimens, suite)
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


def _shown_by(
    statistics: Statistics, specimens: Sequence[Specimen], suite: WrittenSuite
) -> dict[TargetId, int]:
    """Return the specimen that shows each fault; one with a test comes before others."""
    own = [(one.fault.target, index) for index, one in enumerate(specimens) if one.fault]
    pairs = [*own, *_also_shown(statistics, specimens)]
    written = [(target, index) for target, index in pairs if index in suite.test_of]
    return dict(reversed([*written, *own]))


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
    is_known = code in ORACLES.names and getattr(ORACLES.get(code), "is_minor", False)
    return code == CHOSEN_FAILURE or is_known


def _explanation(code: str) -> str:
    if code == CHOSEN_FAILURE:
        return "the application answers 5xx, in words of its own"
    return ORACLES.get(code).explanation if code in ORACLES.names else ""


def _reproduced(row: FaultRow, how: Reproduction) -> FaultRow:
    message = how.message or row.message
    return replace(row, traceback=how.traceback, curl=how.curl, user=how.user, message=message)


def _measured(coverage: SuiteCoverage | None) -> MeasuredCoverage | None:
    if coverage is None:
        return None
    return MeasuredCoverage(
        coverage.covered_lines,
        coverage.total_lines,
        coverage.covered_branches,
        coverage.total_branches,
    )


def skipped_rows(ready: Prepared) -> tuple[DroppedRow, ...]:
    """Return what the run ignored or prevented, each with the reason."""
    searched = {endpoint.key for endpoint in ready.endpoints}
    routed = [endpoint.key for endpoint in routed_endpoints(ready.handle.app)]
    recording = ready.recording
    late = recording.already_imported() if recording is not None else ()
    plain = dict.fromkeys(recording.notices) if recording is not None else {}
    missed = [] if ready.handle.outside else unsearchable(ready.handle.app)
    return (
        *(DroppedRow(f"{one.kind} {one.name}", one.reason) for one in missed),
        *(DroppedRow(key, LEFT_OUT) for key in routed if key not in searched),
        *(
            DroppedRow(f"service {name}", f"{DOWN}: {why}")
            for name, why in ready.executor.services.items()
        ),
        *(DroppedRow(attempt, HELD_BACK) for attempt in ready.handle.blocked()),
        *(DroppedRow(name, TOO_LATE) for name in late),
        *(DroppedRow(notice, NOT_INSTRUMENTED) for notice in plain),
    )


def generated_rows(
    specimens: Sequence[Specimen], suite: WrittenSuite, root: Path
) -> tuple[GeneratedRow, ...]:
    """Return a row for each written test function, by name."""
    shown: dict[str, list[Specimen]] = {}
    for index, name in suite.test_of.items():
        shown.setdefault(name, []).append(specimens[index])
    covered = {
        name: frozenset().union(*(one.vouched for one in group)) for name, group in shown.items()
    }
    only = _only_there(covered)
    texts = {name: text for file in suite.files for name, text in _test_texts(file, root)}
    rows = []
    for name in sorted(shown):
        first, last, source = texts.get(name, (0, 0, ""))
        answers = [
            Answer(exchange.request.endpoint, exchange.status)
            for specimen in shown[name]
            for exchange in specimen.exchanges
        ]
        fault = any(specimen.fault is not None for specimen in shown[name])
        row = GeneratedRow(
            name, source, first, last, tuple(answers), len(covered[name]), only[name], fault
        )
        rows.append(replace(row, causes=tuple(_causes(shown[name]))))
    return tuple(rows)


def _causes(specimens: Iterable[Specimen]) -> Iterator[Mapping[str, object]]:
    """Yield the proven causes of a function's rows; a value that is not sent has no key.

    What is sent beside it tells to which row a cause belongs.
    """
    for specimen in specimens:
        slots = slots_of(specimen.act.request)
        for cause in specimen.causes:
            others = {
                name: value for (place, name), value in slots.items() if place == cause.location
            }
            others.pop(cause.name, None)
            values = {"value": cause.value, "usual": cause.usual}
            sent = {key: _as_plain(value) for key, value in values.items() if value is not NOT_SENT}
            place = {"location": cause.location, "name": cause.name}
            yield {
                "endpoint": specimen.act.request.endpoint,
                **place,
                **sent,
                "beside": _as_plain(others),
                **({"hides_another": True} if cause.hides_another else {}),
            }


def _as_plain(value: object) -> object:
    """Return a value as JSON can hold it: what JSON lacks as its text in Python."""
    if isinstance(value, dict):
        return {str(key): _as_plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_plain(part) for part in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def _only_there(covered: Mapping[str, frozenset[TargetId]]) -> dict[str, tuple[TargetId, ...]]:
    """Return for each test the targets that no other test covers, sorted."""
    tests_of: dict[TargetId, int] = {}
    for targets in covered.values():
        for target in sorted(targets):
            tests_of[target] = tests_of.get(target, 0) + 1
    return {
        name: tuple(sorted(target for target in targets if tests_of[target] == 1))
        for name, targets in covered.items()
    }


def _test_texts(file: str, root: Path) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Yield (``file::test``, (first line, last line, source)) for each test of a module."""
    text = read_source(root / file)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            last = node.end_lineno or node.lineno
            yield f"{file}::{node.name}", (first, last, "\n".join(lines[first - 1 : last]))
