"""Reports of a whole run: where they lie, what they say, what becomes of a folder that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHOP = """
from flask import Flask, request

app = Flask(__name__)


@app.get("/ratio")
def ratio():
    if hash(request.args.get("word", "")) == 7:
        return "golden"
    return str(10 / int(request.args.get("by", "0")))
"""

FILES = {"report.html", "report.json", "evosearch.sarif"}


@pytest.fixture
def shop(project):
    """A project with an application that divides, and the real engine."""
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(shop=SHOP)
    project.pytester.syspathinsert()
    return project


def search(shop, *arguments: str) -> pytest.RunResult:
    given = ["--evosearch=20x", "--evosearch-seed=1", "--evosearch-app=shop:app"]
    given.append("--evosearch-set=plan.circumstances=first")
    result: pytest.RunResult = shop.run(*given, *arguments, forks=False)
    return result


def test_every_report_tells_of_the_same_fault(shop) -> None:
    result = search(shop)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["report: .pytest_cache/d/evosearch/report.html"])
    folder: Path = shop.path / ".pytest_cache" / "d" / "evosearch"
    assert {path.name for path in folder.iterdir()} >= FILES
    report = json.loads((folder / "report.json").read_text())
    fault = next(fault for fault in report["faults"] if fault["kind"] == "ZeroDivisionError")
    assert (fault["file"], fault["line"]) == ("shop.py", 11)
    assert fault["curl"].startswith("curl -i http")
    assert "ZeroDivisionError" in fault["traceback"]
    assert fault["test"] in {test["name"] for test in report["tests"]}
    sarif = json.loads((folder / "evosearch.sarif").read_text())
    assert fault["id"] in {
        found["partialFingerprints"]["evosearchFault/v1"] for found in sarif["runs"][0]["results"]
    }
    assert "ZeroDivisionError" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow("whole commands run")
def test_uncovered_targets_have_a_reason_on_the_terminal_and_in_the_report(shop) -> None:
    result = search(shop, "-vv", "--evosearch-report=reports")
    result.stdout.fnmatch_lines(
        ["  line shop.py:10  best 0.000  line 9: *", "report: reports/report.html"]
    )
    report = json.loads((shop.path / "reports" / "report.json").read_text())
    assert {row["target"]: row["kind"] for row in report["uncovered"]}[
        "line shop.py:10"
    ] == "behind"


@pytest.mark.slow("whole commands run")
def test_reports_that_cannot_be_written_cost_a_notice_only(shop) -> None:
    (shop.path / "taken" / "report.html").mkdir(parents=True)
    result = search(shop, "--evosearch-report=taken")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["notice: report.html could not be written to *taken*"])
    result.stdout.no_fnmatch_line("report: *")
    assert list((shop.path / "evosearch").glob("test_evosearch_*.py"))
