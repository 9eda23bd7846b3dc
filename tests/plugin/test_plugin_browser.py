"""--evosearch-browser: from the option to tests that need no browser."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.browser.installed_browser import found_browser
from pytest_evosearch.sut.sandbox.child_processes import descendants_of

FEW_VISITS = ("--evosearch-set=browser.share=0.4", "--evosearch-set=plan.circumstances=first")
ALL_OF_PAGES = "uncaught-error,console-error,failed-request,broken-link,broken-image"

NOTEBOOK = Path(__file__).parents[1] / "quality" / "scripted" / "notebook.py"


def hindrance() -> str:
    """Return why no browser can be started here; empty where one can."""
    try:
        found_browser(os.environ, Path.home())
    except InvalidSetting as error:
        return str(error)
    return ""


def faults_of(report: Path) -> list[dict[str, str]]:
    """Return the faults of a report."""
    found: list[dict[str, str]] = json.loads((report / "report.json").read_text())["faults"]
    return found


def goal(report: Path) -> bool:
    """Say whether the planted fault was found."""
    faults = json.loads(report.read_text())["faults"]
    return any("a note cannot be pinned" in one["message"] for one in faults)


@pytest.mark.slow("two searches, one with a browser, and interpreters for what is written")
@pytest.mark.skipif(bool(hindrance()), reason=hindrance() or "never")
def test_a_fault_behind_a_script_is_found_with_the_browser_only(orders) -> None:
    before = set(descendants_of(os.getpid()))
    orders.write(orders=NOTEBOOK.read_text())
    report = orders.path / "rep" / "report.json"
    given = f"--evosearch-report={report.parent}"
    assert orders.search_with("", given, budget="40x").ret == 0
    assert not goal(report)
    assert json.loads(report.read_text())["browser"] is None
    result = orders.search_with("", given, "--evosearch-browser", budget="40x")
    assert result.ret == 0
    assert goal(report)
    browser = json.loads(report.read_text())["browser"]
    assert browser["visits"] > 0
    assert {"uncaught error"} <= {one["kind"] for one in browser["problems"]}
    result.stdout.fnmatch_lines(["*uncaught-error: uncaught error: Cannot set*after a click on*"])
    assert orders.passes_without_plugin()
    assert set(descendants_of(os.getpid())) <= before


@pytest.mark.slow("a search with a browser")
@pytest.mark.skipif(bool(hindrance()), reason=hindrance() or "never")
def test_pages_are_judged_and_pictured(orders) -> None:
    orders.write(orders=NOTEBOOK.with_name("kiosk.py").read_text())
    report = orders.path / "rep"
    given = f"--evosearch-report={report}", "--evosearch-browser", *FEW_VISITS
    wanted = "--evosearch-oracles=server-error,overflow,accessibility"
    result = orders.search_with("", *given, f"{wanted},{ALL_OF_PAGES}", budget="24x")
    assert result.ret == 0
    assert {(one["code"], one["endpoint"]) for one in faults_of(report)} == {
        ("uncaught-error", "GET /"),
        ("console-error", "GET /"),
        ("failed-request", "GET /about"),
        ("broken-image", "GET /prices"),
        ("broken-link", "GET /prices"),
        ("overflow", "GET /prices"),
    }
    result.stdout.fnmatch_lines(["*accessibility was not checked: no file *axe.min.js*npm*"])
    module = orders.path / "evosearch" / "browser" / "test_evosearch_browser_pages.py"
    if find_spec("pytest_playwright") is None:
        result.stdout.fnmatch_lines(["*no test for a browser was written: pip install pytest-pl*"])
        assert not module.exists()
    else:
        assert 'name="Find", exact=True).click()' in module.read_text()
        assert {one["code"] for one in faults_of(report) if not one["test"]} == {"broken-link"}
    page = (report / "report.html").read_text()
    assert page.count("data:image/jpeg;base64,") >= 10
    assert "GET / 200 by script" in page


@pytest.mark.skipif(find_spec("playwright") is None, reason="Playwright is not installed")
def test_a_missing_browser_is_told_before_anything_runs(orders, monkeypatch) -> None:
    monkeypatch.setenv("EVOSEARCH_BROWSER", "/no/such/browser")
    result = orders.search_with("", "--evosearch-browser")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*EVOSEARCH_BROWSER=/no/such/browser is no program*"])
