"""The run in the report schema of Web Fuzzing Commons, which viewers of other fuzzers open.

Schema: https://github.com/WebFuzzing/Commons, ``wfc/schemas/report.yaml`` of release 0.12.1.  Two
keys were renamed between releases; both names are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from datetime import timezone
from typing import Any

from pytest_evosearch import __version__
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import time
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import plain
from pytest_evosearch.settings.oracle_specs import ORACLES

SCHEMA_VERSION = "0.12.1"

CATEGORIES = {
    **{spec.code: (spec.number, spec.category) for spec in ORACLES if spec.number is not None},
    "crash": (100, "HTTP_STATUS_500"),
    "freeze": (312, "SECURITY_CALL_TIMEOUT"),
}
"""Codes of this project -> category of Web Fuzzing Commons, which leaves 900 to 999 to tools."""

OWN_CATEGORY = 900
"""Category for codes without a category of their own."""

HIGHEST_STATUS = 599


def wfc_report(outcome: Outcome, created: float | None = None, prefix: str = "") -> str:
    """Return `outcome` as a report of Web Fuzzing Commons.

    `created` is the time of writing in seconds since 1970 (now by default).  `prefix` is the
    relative path from the report's folder to the root folder, ``../../../``.
    """
    return json.dumps(wfc_content(outcome, created, prefix), indent=1) + "\n"


def wfc_content(outcome: Outcome, created: float | None, prefix: str) -> dict[str, Any]:
    """Return what `wfc_report` writes, as plain values."""
    instant = datetime.fromtimestamp(time.time() if created is None else created, timezone.utc)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "toolName": "pytest-evosearch",
        "toolVersion": __version__,
        "creationTime": instant.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "faults": _faults(outcome),
        "problemDetails": {"rest": _rest(outcome)},
        "totalTests": len(outcome.suite.generated),
        "testFilePaths": [f"{prefix}{file}" for file in outcome.suite.files],
        "testCases": [_case(row, prefix) for row in outcome.suite.generated],
        "executionTimeInSeconds": round(outcome.effort.seconds),
        "extra": [{"toolName": "pytest-evosearch", "criteria": list(_criteria(outcome))}],
        "warnings": [{"message": plain(text), "category": "notice"} for text in _warnings(outcome)],
    }


def operation(endpoint: str) -> str:
    """Return the identifier of an endpoint: ``GET:/users/{id}``."""
    return endpoint.replace(" ", ":", 1)


def _faults(outcome: Outcome) -> dict[str, Any]:
    shown = {row.name for row in outcome.suite.generated}
    found = [_found(fault) for fault in outcome.faults if fault.test in shown]
    return {"totalNumber": len(found), "foundFaults": found}


def _found(fault: FaultRow) -> dict[str, Any]:
    code, name = CATEGORIES.get(fault.code, (OWN_CATEGORY, _own_name(fault.code)))
    context = f"{fault.kind} at {fault.position}: {plain(fault.message)}"
    return {
        "operationId": operation(fault.endpoint),
        "endpointId": operation(fault.endpoint),
        "testCaseId": fault.test,
        "faultCategories": [{"id": name, "code": code, "context": context}],
    }


def _own_name(code: str) -> str:
    return f"EVOSEARCH_{code.upper().replace('-', '_')}"


def _rest(outcome: Outcome) -> dict[str, Any]:
    calls = sum(len(row.answers) for row in outcome.suite.generated)
    return {
        "outputHttpCalls": calls,
        "totalHttpCalls": calls,
        "evaluatedHttpCalls": outcome.effort.requests,
        "endpointIds": [operation(row.key) for row in outcome.discovery.endpoints],
        "coveredHttpStatus": [row for test in outcome.suite.generated for row in _covered(test)],
    }


def _covered(test: GeneratedRow) -> Iterator[dict[str, Any]]:
    """Yield one row for each endpoint that `test` calls, with its distinct statuses."""
    statuses: dict[str, dict[int, None]] = {}
    for answer in test.answers:
        seen = statuses.setdefault(answer.endpoint, {})
        if 0 < answer.status <= HIGHEST_STATUS:
            seen.setdefault(answer.status)
    for endpoint, seen in statuses.items():
        yield {
            "endpointId": operation(endpoint),
            "testCaseId": test.name,
            "httpStatus": list(seen),
        }


def _case(row: GeneratedRow, prefix: str) -> dict[str, Any]:
    return {
        "id": row.name,
        "filePath": f"{prefix}{row.file}",
        "name": row.function,
        "startLine": row.first_line,
        "endLine": row.last_line,
    }


def _criteria(outcome: Outcome) -> Iterator[dict[str, Any]]:
    yield {
        "name": "Targets",
        "covered": outcome.targets.covered,
        "total": outcome.targets.known,
    }
    coverage = outcome.suite.coverage
    if coverage is not None:
        yield {
            "name": "Lines",
            "covered": coverage.covered_lines,
            "total": coverage.total_lines,
        }
        yield {
            "name": "Branches",
            "covered": coverage.covered_branches,
            "total": coverage.total_branches,
        }


def _warnings(outcome: Outcome) -> Iterator[str]:
    yield from outcome.notices
    shown = {row.name for row in outcome.suite.generated}
    for fault in outcome.faults:
        if fault.test not in shown:
            yield f"no test could be kept for {fault.kind} at {fault.position} ({fault.endpoint})"
