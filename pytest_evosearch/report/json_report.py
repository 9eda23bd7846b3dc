"""The run as JSON, in the schema of this project (``docs/reports.md``).

Within one `VERSION` keys may be added, but never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_evosearch import __version__
from pytest_evosearch.core.isolation import json
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SourceLine
from pytest_evosearch.report.page_visits import BrowserSummary
from pytest_evosearch.report.page_visits import WalkSummary

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


def _values(row: Any, names: str) -> dict[str, Any]:
    """Return the attributes of a row that the schema calls by their own names."""
    values = {name: getattr(row, name) for name in names.split()}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def _each(rows: Iterable[Any], names: str) -> list[dict[str, Any]]:
    return [_values(row, names) for row in rows]


def json_content(outcome: Outcome) -> dict[str, Any]:
    """Return what `json_report` writes, as plain values."""
    coverage = outcome.suite.coverage
    return {
        "version": VERSION,
        "tool": {"name": "pytest-evosearch", "version": __version__},
        "run": {
            "stopped": outcome.reason.name.lower(),
            **_values(outcome, "seed algorithm"),
            **_values(outcome.effort, "evaluations requests seconds"),
            "reproduce": outcome.reproduce,
            "findings": dict(outcome.discovery.findings),
        },
        "targets": _values(outcome.targets, "covered reached known"),
        "coverage": None if coverage is None else _values(coverage, _COVERAGE),
        "mutation": _mutation(outcome.suite.mutation),
        "endpoints": [_endpoint(row) for row in outcome.discovery.endpoints],
        "faults": [
            _fault(row, identity)
            for row, identity in zip(outcome.faults, fault_identities(outcome), strict=True)
        ],
        "files": list(outcome.suite.files),
        "tests": [_test(row) for row in outcome.suite.generated],
        "unverified": list(outcome.suite.unverified),
        "dropped": _each(outcome.suite.dropped, "name reason"),
        "skipped": _each(outcome.discovery.skipped, "name reason"),
        "uncovered": _each(outcome.targets.uncovered, _UNCOVERED),
        "sources": [
            {"path": file.path, "lines": [_line(line) for line in file.lines]}
            for file in outcome.targets.sources
        ],
        "timeline": [
            {"seconds": seconds, "evaluations": evaluations, "covered": covered}
            for seconds, evaluations, covered in outcome.effort.timeline
        ],
        "walks": _walks(outcome.effort.walks),
        "browser": _browser(outcome.effort.browser),
        "notices": list(outcome.notices),
        "tracebacks": list(outcome.effort.tracebacks),
    }


_COVERAGE = "covered_lines total_lines covered_branches total_branches"
_UNCOVERED = "target score kind reason nearest condition"
_FAULT = "message explanation user test untested needs_data curl traceback"


def _endpoint(row: EndpointRow) -> dict[str, Any]:
    answers = {str(status): times for status, times in row.answers.items()}
    named = _values(row, "calls parameters statuses")
    return {"endpoint": row.key, **named, "answers": answers}


def _walks(walks: WalkSummary) -> dict[str, Any]:
    return {
        **_values(walks, "walks longest_path"),
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
    problems = _each(browser.problems, "kind message page action times")
    return {**_values(browser, "visits actions"), "problems": problems}


def _mutation(score: MutationScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    survivors = [
        {**_values(row, "file line function operator diff"), "reached": row.is_reached}
        for row in score.survivors
    ]
    return {**_values(score, "mutants killed timed_out"), "survivors": survivors}


def _fault(row: FaultRow, identity: str) -> dict[str, Any]:
    return {
        "id": identity,
        "code": row.code,
        "rank": "lower" if row.is_minor else "fault",
        **_values(row, "endpoint elsewhere kind"),
        "file": row.file or None,
        "line": row.line or None,
        **_values(row, _FAULT),
    }


def _test(row: GeneratedRow) -> dict[str, Any]:
    told = {name: [dict(one) for one in getattr(row, name)] for name in ("units", "causes")}
    return {
        **_values(row, "name first_line last_line shows_fault"),
        "calls": _each(row.answers, "endpoint status"),
        **_values(row, "covered only"),
        **{name: rows for name, rows in told.items() if rows},
    }


def _line(line: SourceLine) -> dict[str, Any]:
    return {
        "line": line.number,
        **_values(line, "covered imported"),
        "sides": _each(line.sides, "target score"),
    }
