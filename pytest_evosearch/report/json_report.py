"""The run as JSON, in the schema of this project (``docs/reports.md``).

Within one `VERSION` keys may be added, but never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_evosearch import __version__
from pytest_evosearch.core.isolation import json
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import BrowserSummary
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SourceFile
from pytest_evosearch.report.outcome import SourceLine
from pytest_evosearch.report.outcome import WalkSummary

VERSION = 1
"""Version of the schema; a reader should refuse a greater one."""


def json_report(outcome: Outcome) -> str:
    """Return everything that is known about a run, as JSON text."""
    parts = (f"{json.dumps(key)}: {_text(part)}" for key, part in json_content(outcome).items())
    return f"{{\n{_joined(parts)}\n}}\n"


def _text(part: Any) -> str:
    """Return the JSON of one part, a list with a line for each element.

    Indenting all levels takes seconds for a large program.
    """
    if not isinstance(part, list) or not part:
        return json.dumps(part)
    return f"[\n{_joined(map(json.dumps, part))}\n]"


def _joined(lines: Iterable[str]) -> str:
    return ",\n".join(lines)


def json_content(outcome: Outcome) -> dict[str, Any]:
    """Return what `json_report` writes, as plain values."""
    return {
        "version": VERSION,
        "tool": {"name": "pytest-evosearch", "version": __version__},
        "run": _run(outcome),
        "targets": {
            "covered": outcome.targets.covered,
            "reached": outcome.targets.reached,
            "known": outcome.targets.known,
        },
        "coverage": _coverage(outcome.suite.coverage),
        "mutation": _mutation(outcome.suite.mutation),
        "endpoints": [
            {
                "endpoint": row.key,
                "calls": row.calls,
                "parameters": row.parameters,
                "statuses": list(row.statuses),
                "answers": {str(status): times for status, times in row.answers.items()},
            }
            for row in outcome.discovery.endpoints
        ],
        "faults": [
            _fault(row, identity)
            for row, identity in zip(outcome.faults, fault_identities(outcome), strict=True)
        ],
        "files": list(outcome.suite.files),
        "tests": [_test(row) for row in outcome.suite.generated],
        "unverified": list(outcome.suite.unverified),
        "dropped": [{"name": row.name, "reason": row.reason} for row in outcome.suite.dropped],
        "skipped": [{"name": row.name, "reason": row.reason} for row in outcome.discovery.skipped],
        "uncovered": [
            {
                "target": row.target,
                "score": row.score,
                "kind": row.kind,
                "reason": row.reason,
                "nearest": row.nearest,
                "condition": row.condition,
            }
            for row in outcome.targets.uncovered
        ],
        "sources": [_source(file) for file in outcome.targets.sources],
        "timeline": [
            {"seconds": seconds, "evaluations": evaluations, "covered": covered}
            for seconds, evaluations, covered in outcome.effort.timeline
        ],
        "walks": _walks(outcome.effort.walks),
        "browser": _browser(outcome.effort.browser),
        "notices": list(outcome.notices),
        "tracebacks": list(outcome.effort.tracebacks),
    }


def _run(outcome: Outcome) -> dict[str, Any]:
    return {
        "stopped": outcome.reason.name.lower(),
        "seed": outcome.seed,
        "algorithm": outcome.algorithm,
        "evaluations": outcome.effort.evaluations,
        "requests": outcome.effort.requests,
        "seconds": outcome.effort.seconds,
        "reproduce": outcome.reproduce,
        "findings": dict(outcome.discovery.findings),
    }


def _walks(walks: WalkSummary) -> dict[str, Any]:
    return {
        "walks": walks.walks,
        "longest_path": walks.longest_path,
        "selectors": [
            {"name": name, "walks": number, "gained": gained} for name, number, gained in walks.led
        ],
        "screens": [
            {
                "screen": row.label,
                "visits": row.visits,
                "actions": dict(row.actions),
                "leads_to": list(row.leads_to),
            }
            for row in walks.screens
        ],
    }


def _browser(browser: BrowserSummary | None) -> dict[str, Any] | None:
    if browser is None:
        return None
    return {
        "visits": browser.visits,
        "actions": browser.actions,
        "problems": [
            {
                "kind": one.kind,
                "message": one.message,
                "page": one.page,
                "action": one.action,
                "times": one.times,
            }
            for one in browser.problems
        ],
    }


def _coverage(coverage: MeasuredCoverage | None) -> dict[str, int] | None:
    if coverage is None:
        return None
    return {
        "covered_lines": coverage.covered_lines,
        "total_lines": coverage.total_lines,
        "covered_branches": coverage.covered_branches,
        "total_branches": coverage.total_branches,
    }


def _mutation(score: MutationScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "mutants": score.mutants,
        "killed": score.killed,
        "timed_out": score.timed_out,
        "survivors": [
            {
                "file": row.file,
                "line": row.line,
                "function": row.function,
                "operator": row.operator,
                "reached": row.is_reached,
                "diff": row.diff,
            }
            for row in score.survivors
        ],
    }


def _fault(row: FaultRow, identity: str) -> dict[str, Any]:
    return {
        "id": identity,
        "code": row.code,
        "rank": "lower" if row.is_minor else "fault",
        "endpoint": row.endpoint,
        "elsewhere": list(row.elsewhere),
        "kind": row.kind,
        "file": row.file or None,
        "line": row.line or None,
        "message": row.message,
        "explanation": row.explanation,
        "user": row.user,
        "test": row.test,
        "untested": row.untested,
        "needs_data": row.needs_data,
        "curl": row.curl,
        "traceback": row.traceback,
    }


def _test(row: GeneratedRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "first_line": row.first_line,
        "last_line": row.last_line,
        "shows_fault": row.shows_fault,
        "calls": [{"endpoint": one.endpoint, "status": one.status} for one in row.answers],
        "covered": row.covered,
        "only": list(row.only),
        **({"units": [dict(one) for one in row.units]} if row.units else {}),
        **({"causes": [dict(one) for one in row.causes]} if row.causes else {}),
    }


def _source(file: SourceFile) -> dict[str, Any]:
    return {"path": file.path, "lines": [_line(line) for line in file.lines]}


def _line(line: SourceLine) -> dict[str, Any]:
    return {
        "line": line.number,
        "covered": line.covered,
        "imported": line.imported,
        "sides": [{"target": side.target, "score": side.score} for side in line.sides],
    }
