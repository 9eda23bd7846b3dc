"""Rows of docs/compatibility.md, from the measurements of `benchmarks.compatibility`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.real_projects import Project
from benchmarks.reruns import count_outcomes

NOT_MEASURED = "not measured"
NOTHING = "-"
SUCCESSES = 400
"""Statuses below are answers to requests that were right."""

WAYS = ("alone", "random", "together")
"""Ways of running the written tests, besides one module at a time."""

COLUMNS = (
    *("project", "commit", "with", "application; client", "users", "endpoints reached", "state"),
    *("pages as before", "lines, branches of the written tests", "tests, faults"),
    *("alone / random order / module by module / with own suite", "own suite alone"),
    *("budget, commit of pytest-evosearch, load", "verdict"),
)

ENOUGH = 0.8
"""The share of endpoints that must be reached."""


@dataclass(frozen=True)
class Run:
    """One run of tests: what pytest said at its end, and which files had trouble."""

    exit_code: int
    summary: str
    trouble: tuple[str, ...]

    def describe(self) -> str:
        """Return the counts, ``31 passed, 3 xfailed``."""
        counts = [f"{number} {outcome}" for outcome, number in self.counts().items()]
        return ", ".join(counts) or self.summary

    def counts(self) -> dict[str, int]:
        """Return how many tests had which outcome."""
        return count_outcomes(self.summary)


@dataclass(frozen=True)
class Verdict:
    """What of the promise a project kept."""

    found: bool
    reached: bool
    restored: bool
    passing: bool
    untouched: bool

    @property
    def fine(self) -> bool:
        """Say whether everything holds."""
        return all(vars(self).values())


def judge(result: Mapping[str, Any]) -> Verdict:
    """Judge what can be read off: at least 80 % of the endpoints, state back, tests pass."""
    report = result["report"] or {}
    endpoints = report.get("endpoints", [])
    reached = sum(bool(row["statuses"]) for row in endpoints)
    return Verdict(
        found=bool(endpoints),
        reached=bool(endpoints) and reached >= ENOUGH * len(endpoints),
        restored=bool(endpoints) and not disagreements(report),
        passing=bool(result["reruns"]) and not failing_ways(result),
        untouched=not result["databases"]["changed"],
    )


def describe_verdict(result: Mapping[str, Any]) -> str:
    """Say what fell short, in a few words."""
    missed = [what for what, held in vars(judge(result)).items() if not held]
    ways = f" ({', '.join(failing_ways(result))})" if "passing" in missed else ""
    return f"not {', '.join(missed)}{ways}" if missed else "fine"


def disagreements(report: Mapping[str, Any]) -> list[str]:
    """Return what the check of the restored state had to say."""
    return [notice for notice in report.get("notices", ()) if "did not come back" in notice]


def failing_ways(result: Mapping[str, Any]) -> list[str]:
    """Return in which ways a test failed; what fails in the own suite alone may fail again."""
    own = set(result["own"]["trouble"])
    failing = []
    for way, run in result["reruns"].items():
        fine = run["exit_code"] == 0
        if way == "together" and not fine:
            fine = run["exit_code"] == 1 and bool(own) and set(run["trouble"]) <= own
        if not fine:
            failing.append(way)
    return failing


def markdown_head() -> str:
    """Return the head of the table."""
    return f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def markdown_row(project: Project, result: Mapping[str, Any]) -> str:
    """Write the row of docs/compatibility.md."""
    report = result["report"]
    origin = f"{project.origin} ({project.shape})"
    installed = result["versions"]
    flask = f"Flask {installed['flask']}"
    if not report:
        lines = [line for line in result["terminal"].splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith(("ERROR", "INTERNALERROR"))]
        reason = one_line((errors or lines or [""])[-1])
        return f"| {origin} | {project.commit} | {flask} | none: {reason} |" + f" {NOTHING} |" * (
            len(COLUMNS) - 4
        )
    findings = report["run"]["findings"]
    cells = [
        origin,
        project.commit or NOTHING,
        flask,
        one_line(f"{findings.get('app', '')}; {findings.get('client', '')}"),
        one_line(users(report)),
        endpoints_cell(report),
        one_line(findings.get("state", "")),
        restored_cell(report),
        coverage_cell(report),
        f"{len(report['tests'])}, {len(report['faults'])}",
        reruns_cell(result),
        Run(**result["own"]).describe(),
        measured_cell(result),
        describe_verdict(result),
    ]
    return "| " + " | ".join(cells) + " |"


def measured_cell(result: Mapping[str, Any]) -> str:
    """Return the circumstances: budget, our own commit, and how busy the machine was."""
    return f"{result['budget']}, {result['revision']}, {result['load']:.1f}"


def one_line(text: str) -> str:
    """Return a text that fits a cell."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip("; ")


def users(report: Mapping[str, Any]) -> str:
    """Return how requests were sent as somebody."""
    return str(report["run"]["findings"].get("auth", "none"))


def endpoints_cell(report: Mapping[str, Any]) -> str:
    """Return how many endpoints answered, and how many of them with success."""
    rows = report["endpoints"]
    reached = sum(bool(row["statuses"]) for row in rows)
    successes = sum(any(status < SUCCESSES for status in row["statuses"]) for row in rows)
    return f"{reached} of {len(rows)}, {successes} with success"


def restored_cell(report: Mapping[str, Any]) -> str:
    """Return whether the pages answered after the search as before it."""
    pages = [
        row
        for row in report["endpoints"]
        if row["endpoint"].startswith("GET ") and "{" not in row["endpoint"]
    ]
    if not pages:
        return f"{NOT_MEASURED} (no page without parameters)"
    return "no" if disagreements(report) else "yes"


def coverage_cell(report: Mapping[str, Any]) -> str:
    """Return the shares of lines and branches that the written tests cover."""
    coverage = report["coverage"]
    if coverage is None:
        return NOT_MEASURED
    return ", ".join(
        share(coverage[f"covered_{kind}"], coverage[f"total_{kind}"])
        for kind in ("lines", "branches")
    )


def share(part: int, whole: int) -> str:
    """Return a percentage, and a dash of nothing."""
    return f"{100 * part // whole} %" if whole else NOTHING


def reruns_cell(result: Mapping[str, Any]) -> str:
    """Return how the re-runs ended; in a few words where all agree."""
    reruns = result["reruns"]
    if not reruns:
        return NOT_MEASURED
    described = {way: Run(**run).describe() for way, run in reruns.items()}
    failing = failing_ways(result)
    modules = [way for way in reruns if way not in WAYS]
    single = sum(way not in failing for way in modules)
    return (
        f"{described['alone']} / {described['random']} / {single} of {len(modules)} modules"
        f" / {described['together']}"
    )
