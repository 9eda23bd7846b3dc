"""Faults as SARIF 2.1.0 (OASIS standard), for code-scanning views and editors."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pytest_evosearch import __version__
from pytest_evosearch.core.isolation import json
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import plain

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

ROOT = "%SRCROOT%"
"""The base of relative paths: the root folder of the project."""

DESCRIPTIONS = {
    "crash": "An exception left the application unhandled",
    "server-error": "The application sent a response with status 500 or above",
    "freeze": "A call did not end in time",
}


def sarif_report(outcome: Outcome) -> str:
    """Return the faults of `outcome` as a SARIF log."""
    return json.dumps(sarif_content(outcome), indent=1) + "\n"


def sarif_content(outcome: Outcome) -> dict[str, Any]:
    """Return what `sarif_report` writes, as plain values."""
    explanations = {fault.code: fault.explanation for fault in outcome.faults}
    codes = sorted(explanations)
    driver = {
        "name": "pytest-evosearch",
        "version": __version__,
        "rules": [_rule(code, explanations[code]) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the root folder of the project"}}},
        "results": [
            _result(fault, codes.index(fault.code), identity)
            for fault, identity in zip(outcome.faults, fault_identities(outcome), strict=True)
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str, explanation: str) -> dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": explanation or DESCRIPTIONS.get(code, code)},
        "defaultConfiguration": {"level": "error"},
    }


def _result(fault: FaultRow, rule: int, identity: str) -> dict[str, Any]:
    message = f": {plain(fault.message)}" if fault.message else ""
    note = fault.test_note
    shown_by = f"\n{note[0].upper()}{note[1:]}" if note else ""
    return {
        "ruleId": fault.code,
        "ruleIndex": rule,
        "level": "note" if fault.is_minor else "error",
        "message": {"text": f"{fault.shown_endpoint}: {fault.kind}{message}{shown_by}"},
        "locations": [_location(fault)],
        "partialFingerprints": {"evosearchFault/v1": identity},
        "properties": {"endpoint": fault.endpoint, "test": fault.test, "curl": fault.curl},
    }


def _location(fault: FaultRow) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [
            {"fullyQualifiedName": endpoint, "kind": "resource"}
            for endpoint in (fault.endpoint, *fault.elsewhere)
        ]
    }
    if fault.file:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(fault.file), "uriBaseId": ROOT},
            "region": {"startLine": fault.line or 1},
        }
    return location


def _uri(path: str) -> str:
    """Percent-encode what a URI cannot contain, except slashes."""
    return quote(path, errors="replace")
