"""Reports of people are compared with the faults of a search."""

from __future__ import annotations

import pytest

from benchmarks.clones import find_git_directory
from benchmarks.field_faults import Report
from benchmarks.field_faults import is_reported
from benchmarks.field_faults import line_of
from benchmarks.field_faults import read_reports


def report(endpoint, failure):
    return Report("a/b", "#1", "2020-01-01", "words", "0123abcd", endpoint, "a body", failure)


def fault(endpoint, kind, message="", code="crash"):
    return {
        "endpoint": endpoint,
        "kind": kind,
        "message": message,
        "code": code,
        "elsewhere": [{"endpoint": "GET /twin"}],
    }


@pytest.mark.parametrize(
    ("endpoint", "failure", "found", "same"),
    [
        ("GET /a/{id}", "KeyError: 'x'", fault("GET /a/{number}", "KeyError"), True),
        ("GET /a/<int:id>/", "500", fault("GET /a/{number}", "ValueError"), True),
        ("GET /twin", "KeyError", fault("GET /a", "KeyError"), True),
        ("any", "KeyError, TypeError", fault("POST /b", "TypeError"), True),
        ("POST /a/{id}", "KeyError", fault("GET /a/{number}", "KeyError"), False),
        ("GET /a/{id}", "KeyError", fault("GET /a/{id}", "TypeError"), False),
        ("GET /l", "redirect that leads away", fault("GET /l", "", code="open-redirect"), True),
        ("GET /l", "redirect that leads away", fault("GET /l", "KeyError"), False),
        ("GET /l", "500", fault("GET /l", "", code="open-redirect"), False),
    ],
)
def test_a_fault_is_the_reported_one_by_place_and_kind(endpoint, failure, found, same):
    assert is_reported(found, report(endpoint, failure)) is same


def test_at_least_25_reports_are_known_and_none_twice():
    reports = read_reports()
    places = {(one.project, one.report) for one in reports}
    assert len(places) == len(reports) >= 25
    assert all(len(one.commit_before) == 40 for one in reports)


def test_a_line_tells_what_was_found_instead():
    record = {
        "project": "a/b",
        "report": "#1",
        "set_up": "as stated",
        "started": True,
        "found": False,
        "faults": [{"endpoint": "GET /c", "kind": "ValueError", "message": "no"}],
    }
    line = line_of(record, report("GET /a", "KeyError"))
    assert line == "a/b #1 (GET /a: KeyError): not found among: GET /c ValueError: no"
    missing = {"project": "a/b", "report": "#1", "set_up": "", "reason": "no Flask"}
    assert line_of(missing, report("GET /a", "KeyError")).endswith("not set up: no Flask")


def test_a_project_without_a_clone_is_no_silent_gap(tmp_path):
    with pytest.raises(FileNotFoundError, match="no clone of a/b"):
        find_git_directory("a/b", tmp_path)
