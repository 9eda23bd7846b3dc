"""What of the results is kept in git, beside the tables that are made of it: one line a job.

A full set of jobs takes longer than one session of a machine.  What is here counts as done, so
that another machine goes on where one has stopped, and the tables are made of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.jobs import Job

FILE = "results.jsonl"

MOST_MOMENTS = 60
"""Points of a timeline that are kept: a curve of five minutes looks the same."""

BULKY = ("terminal", "errors", "uncovered_lines", "last_line")
"""What no table is made of."""


def read_evidence(folder: Path, jobs: Iterable[Job]) -> dict[str, dict[str, Any]]:
    """Return what is kept beside the tables of `folder`, by the key of the job; of `jobs` only."""
    path = folder / FILE
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = {job.key for job in jobs}
    found = {key_of(result): result for result in map(json.loads, lines)}
    return {key: result for key, result in found.items() if key in wanted}


def write_evidence(folder: Path, results: Iterable[Mapping[str, Any]]) -> Path:
    """Keep `results` beside the tables of `folder`, a line each, those of one application together.

    What was kept of other jobs is given up: the tables do not show it either.
    """
    path = folder / FILE
    lines = sorted((key_of(result), json.dumps(compact(result))) for result in results)
    path.write_text("".join(f"{line}\n" for _key, line in lines), encoding="utf-8")
    return path


def key_of(result: Mapping[str, Any]) -> str:
    """Return the key of the job of a result."""
    return "-".join(str(result[name]) for name in ("application", "tool", "budget", "seed"))


def compact(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a result what the tables and plots are made of."""
    kept = {name: value for name, value in result.items() if name not in (*BULKY, "report")}
    suite = result["suite"]
    kept["suite"] = {name: value for name, value in suite.items() if name not in BULKY}
    report = result.get("report", {}).get("report.json")
    if report is not None:
        kept["report"] = {"report.json": _compact_report(report)}
    return kept


def _compact_report(report: Mapping[str, Any]) -> dict[str, Any]:
    timeline = report["timeline"]
    step = -(-len(timeline) // MOST_MOMENTS) or 1
    return {
        "targets": {"covered": report["targets"]["covered"]},
        "timeline": timeline[::-step][::-1],  # from the end, which the rates are made of
        "endpoints": [{"calls": sum(row["calls"] for row in report["endpoints"])}],
    }
