"""What the terminal shows, as lines of text: no pytest, no colours, no terminal.

Settings -> header_line      Discovered -> discovery_lines
Progress -> progress_line    Outcome    -> summary_lines
phase    -> phase_line
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from collections.abc import Mapping
from itertools import chain

from pytest_evosearch.core.events import Progress
from pytest_evosearch.report.causes import Cause
from pytest_evosearch.report.causes import causes_of
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.time_plan import PHASES

PREFIX = "evosearch: "
SETTING_UP = f"{PREFIX}setting up the application"
LABEL_WIDTH = 9
"""Columns of a label in the discovery block."""
SECOND_COLUMN = 31
"""Columns of the first value when a second finding is on the line."""
DISCOVERY_ROWS = ("app", "client auth", "source endpoints", "schema", "state", "output")
"""Labels in the order of their rows.  Two findings share a row where the second is short."""
LONGEST_MESSAGE = 120
"""Characters of a fault's message in the summary: parsers and SQL write much longer ones."""
LONGEST_REQUEST = 300
"""Characters of a request in the summary; the report has the whole request."""
NO_TEST = "no test could be kept"
SHOWN_UNCOVERED = 200
"""Uncovered targets that ``-vv`` lists, at most."""


def header_line(settings: Settings) -> str:
    """Return the line under pytest's header; its end can be pasted into a command."""
    place = f" app={settings.application.app}" if settings.application.app else ""
    if settings.application.url:
        place = f" url={settings.application.url}"
    islands = f" -n {settings.search.islands}" if settings.search.islands > 1 else ""
    return (
        f"{PREFIX}budget={settings.budget} algorithm={settings.algorithm}{place}"
        f" --evosearch-seed={settings.seed}{islands}"
    )


def discovery_lines(findings: Mapping[str, str]) -> list[str]:
    """Return the findings as one block; unknown labels come last."""
    labels = [row.split() for row in DISCOVERY_ROWS]
    known = list(chain.from_iterable(labels))
    labels += [[label] for label in findings if label not in known]
    rows = [_discovery_row(*row, findings=findings) for row in labels if findings.keys() & row]
    return [
        f"{PREFIX if index == 0 else ' ' * len(PREFIX)}{row}".rstrip()
        for index, row in enumerate(rows)
    ]


def _discovery_row(label: str, companion: str = "", *, findings: Mapping[str, str]) -> str:
    row = f"{label:<{LABEL_WIDTH}}{findings.get(label, '')}"
    if companion not in findings:
        return row
    return f"{row:<{LABEL_WIDTH + SECOND_COLUMN - 1}} {companion} {findings[companion]}"


def finding_with_origin(name: str, origin: str) -> str:
    """Join a finding and its origin, aligned with the block's second column."""
    return f"{name:<{SECOND_COLUMN - 1}} {origin}" if name else origin


def progress_line(progress: Progress, width: int = 0) -> str:
    """Return the state of the command and its search: share, time left, speed, targets, faults.

    The line is shortened to less than `width` columns if necessary; 0 allows any width.
    """
    speed = progress.evaluations / progress.elapsed if progress.elapsed > 0 else 0.0
    begin = f"{PREFIX}{progress.share:4.0%}  {_time_left(progress)}  {speed:.0f}"
    faults = counted(progress.faults, "fault")
    targets = (progress.covered, progress.reached, progress.known)
    covered, reached, known = targets
    line = f"{begin} evaluations/s  {covered} covered / {reached} reached / {known} known  {faults}"
    if not width or len(line) < width:
        return line
    return f"{begin}/s  {'/'.join(map(str, targets))} targets  {faults}"


def phase_line(
    name: str, detail: str = "", share: float | None = None, left: float = math.inf
) -> str:
    """Return what happens after the search, and which share of the whole command is done."""
    what = f"{PHASES.get(name, name)}{f' ({detail})' if detail else ''}"
    if share is None:
        return f"{PREFIX}{what}"
    rest = f"{duration(left)} left  " if math.isfinite(left) else ""
    return f"{PREFIX}{share:4.0%}  {rest}{what}"


def _time_left(progress: Progress) -> str:
    if progress.share <= 0.0 or progress.elapsed <= 0.0:
        return "just begun"
    left = progress.left
    if left is None:
        left = max(0.0, progress.elapsed / progress.share - progress.elapsed)
    return f"{duration(left)} left"


def duration(seconds: float) -> str:
    """Return a duration in the usual form: ``45s``, ``3m05s``, ``1h02m``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s"
    return f"{minutes // 60}h{minutes % 60:02d}m"


def percentage(share: float) -> str:
    """Return a percentage that is 100 only when nothing is missing."""
    whole = round(share * 100)
    return f"{99 if whole == 100 and share < 1 else whole}%"


def summary_lines(outcome: Outcome, verbosity: int = 0) -> list[str]:
    """Return the lines of the summary; below verbosity 0 only the results and the faults."""
    if verbosity < 0:
        return [*_foremost(outcome), _one_line(outcome), *_faults_in_short(outcome)]
    lines = [
        *_foremost(outcome),
        *_totals(outcome),
        *_faults(outcome),
        *_files(outcome),
        *_dropped(outcome, verbosity),
    ]
    if verbosity >= 1:
        lines += _endpoint_table(outcome)
    if verbosity >= 2:
        lines += _uncovered(outcome)
    lines += [f"notice: {notice}" for notice in outcome.notices]
    if outcome.report:
        lines.append(f"report: {outcome.report}")
    if outcome.reproduce:
        lines.append(f"reproduce: {outcome.reproduce}")
    return lines


def _foremost(outcome: Outcome) -> list[str]:
    """Return the lines that explain all the rest: no test was kept, or no caller was let in."""
    lines = [outcome.shut_out] if outcome.shut_out else []
    if outcome.kept_nothing:
        first, *others = _causes(outcome)
        more = f", and for {counted(len(others), 'other reason')}" if others else ""
        tests = counted(len(outcome.suite.dropped), "test")
        lines.insert(
            0, f"nothing was kept: {tests} dropped, {first.times} because {first.line}{more}"
        )
    return lines


def endpoint_lines(outcome: Outcome) -> list[str]:
    """Return endpoints with their parameters and the number of targets, for ``--collect-only``."""
    lines = [f"{row.key}{_parameters(row)}" for row in outcome.discovery.endpoints]
    lines.append(
        f"{counted(len(outcome.discovery.endpoints), outcome.discovery.noun)}, "
        f"{counted(outcome.targets.known, 'target')} known"
    )
    return lines


def _parameters(row: EndpointRow) -> str:
    if row.parameter_names:
        return f"  ({', '.join(row.parameter_names)})"
    return f"  ({counted(row.parameters, 'parameter')})" if row.parameters else ""


def _one_line(outcome: Outcome) -> str:
    folder = outcome.discovery.findings.get("output", "")
    place = f" ({folder})" if folder and outcome.suite.files else ""
    written = (
        f"{counted(outcome.tests, 'test')} in {counted(len(outcome.suite.files), 'file')}{place}"
    )
    return (
        f"{PREFIX}{written}, "
        f"{counted(len(outcome.major_faults), 'fault')}, {_reached(outcome)}, seed {outcome.seed}"
    )


def _faults_in_short(outcome: Outcome) -> Iterator[str]:
    """Yield one line for each fault, with its place and its test."""
    for fault in outcome.faults:
        headline, *_details = _fault(fault)
        shown_by = fault.test or "no test"
        rank = "lower rank" if fault.is_minor else "fault"
        yield f"{PREFIX}{rank} {headline.strip()}  ({fault.shown_endpoint}, {shown_by})"


def _reached(outcome: Outcome) -> str:
    rows, noun = outcome.discovery.endpoints, outcome.discovery.noun
    reached = sum(1 for row in rows if row.statuses or (noun == "unit" and row.calls))
    return f"{reached} of {counted(len(rows), noun)} reached"


def _totals(outcome: Outcome) -> Iterator[str]:
    effort = outcome.effort
    yield (
        f"searched {duration(effort.seconds)}: {counted(effort.evaluations, 'evaluation')}, "
        f"{counted(effort.requests, 'request')}; stopped because {_reason(outcome)}"
    )
    coverage = _coverage(outcome.suite.coverage) if outcome.suite.coverage else ""
    yield f"{_reached(outcome)}{coverage}"
    if outcome.suite.mutation is not None:
        yield mutation_line(outcome.suite.mutation)
    yield (
        f"targets: {outcome.targets.covered} covered, {outcome.targets.reached} reached, "
        f"{outcome.targets.known} known"
    )


def _reason(outcome: Outcome) -> str:
    if outcome.reason is ExitReason.INTERRUPTED:
        return "it was interrupted"
    return str(outcome.reason.value)


def _coverage(coverage: MeasuredCoverage) -> str:
    lines = _share(coverage.covered_lines, coverage.total_lines, "lines")
    if not coverage.total_branches:
        return f"; the written tests cover {lines}"
    branches = _share(coverage.covered_branches, coverage.total_branches, "branches")
    return f"; the written tests cover {lines} and {branches}"


def mutation_line(score: MutationScore) -> str:
    """Return ``mutation score 74 % (37 of 50 mutants failed a test)``, and what no test runs."""
    if not score.mutants:
        return "mutation score: none, nothing that the tests run can be changed"
    share = 100 * score.killed // score.mutants
    mutants = counted(score.mutants, "mutant")
    missed = sum(not row.is_reached for row in score.survivors)
    unreached = f"; {missed} on lines that no test runs" if missed else ""
    return f"mutation score {share} % ({score.killed} of {mutants} failed a test){unreached}"


def _share(part: int, whole: int, noun: str) -> str:
    share = f" ({percentage(part / whole)})" if whole else ""
    return f"{part} of {whole} {noun}{share}"


def _faults(outcome: Outcome) -> Iterator[str]:
    yield f"faults: {len(outcome.major_faults) or 'none'}"
    for fault in outcome.major_faults:
        yield from _fault(fault)
    if outcome.minor_faults:
        yield f"of lower rank: {len(outcome.minor_faults)}"
    for fault in outcome.minor_faults:
        yield from _fault(fault)
    if late := sum(fault.is_late for fault in outcome.faults):
        yield (
            f"no time for the tests of {counted(late, 'fault')}: give --evosearch a longer budget, "
            "or run it again, as the next run begins with them"
        )


def _fault(fault: FaultRow) -> Iterator[str]:
    message = f": {_first_line(fault.message)}" if fault.message else ""
    where = fault.position if fault.file else fault.code
    if fault.file and fault.code != "crash":  # an exception says itself what is wrong
        where = f"{where}: {fault.code}"
    yield f"  {where}: {fault.kind}{message}"
    if fault.is_late:  # one line says so of all of them; the report has their requests
        yield f"    {fault.shown_endpoint}"
        return
    yield f"    {fault.shown_endpoint}  {fault.test or NO_TEST}"
    if fault.needs_data:
        yield "    needs data that no endpoint makes"
    if fault.test is None:
        yield from _untested(fault)


def _untested(fault: FaultRow) -> Iterator[str]:
    """Yield why there is no test, and what was sent."""
    if fault.untested:
        yield f"    because {fault.untested}"
    if fault.request:
        yield f"    {_shortened(fault.request, LONGEST_REQUEST)}"


def _first_line(text: str) -> str:
    """Return the part of a message that tells faults apart; the report has the whole message."""
    line = text.strip().splitlines()[0] if text.strip() else ""
    return _shortened(line, LONGEST_MESSAGE)


def _shortened(line: str, longest: int) -> str:
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def _files(outcome: Outcome) -> Iterator[str]:
    if not outcome.suite.files:
        yield "files: none written"
        return
    yield f"files: {counted(outcome.tests, 'test')} in {counted(len(outcome.suite.files), 'file')}"
    for path in outcome.suite.files:
        yield f"  {path}"
    if outcome.suite.extent:
        yield f"  {outcome.suite.extent}"
    for name in outcome.suite.unverified:
        yield f"  fails its own verification: {name}"


def _dropped(outcome: Outcome, verbosity: int) -> Iterator[str]:
    """Yield dropped tests by cause; name each of them, with its own reason, from ``-v`` on."""
    if not outcome.suite.dropped:
        return
    reasons = {row.name: row.reason for row in outcome.suite.dropped}
    yield f"dropped: {counted(len(outcome.suite.dropped), 'test')}"
    for cause in _causes(outcome):
        yield f"  {cause.times} because {cause.line}"
        if verbosity >= 1:
            told = {cause.text, cause.line}
            why = {name: f": {reasons[name]}" * (reasons[name] not in told) for name in cause.names}
            yield from (f"    {name}{why[name]}" for name in cause.names)


def _causes(outcome: Outcome) -> list[Cause]:
    return causes_of((row.name, row.reason) for row in outcome.suite.dropped)


def _endpoint_table(outcome: Outcome) -> Iterator[str]:
    if not outcome.discovery.endpoints:
        return
    width = max(len(row.key) for row in outcome.discovery.endpoints)
    yield "endpoints:"
    for row in outcome.discovery.endpoints:
        statuses = " ".join(str(status) for status in row.statuses) or "never answered"
        yield f"  {row.key:<{width}}  {counted(row.calls, 'call')}  {statuses}"


def _uncovered(outcome: Outcome) -> Iterator[str]:
    if not outcome.targets.uncovered:
        return
    yield f"uncovered: {counted(len(outcome.targets.uncovered), 'target')}"
    for row in outcome.targets.uncovered[:SHOWN_UNCOVERED]:
        yield from _uncovered_row(row)
    hidden = len(outcome.targets.uncovered) - SHOWN_UNCOVERED
    if hidden > 0:
        yield f"  ... and {hidden} more"


def _uncovered_row(row: UncoveredRow) -> Iterator[str]:
    yield f"  {row.target}  best {row.score:.3f}  {row.reason}".rstrip()
    if row.condition:
        yield f"      {row.condition}"
    if row.nearest:
        yield f"      nearest: {row.nearest}"
