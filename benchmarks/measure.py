"""One ruler for every tool: what coverage.py sees when a written suite runs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.applications import Application
from benchmarks.environments import process_environment

INSIDE = Path(__file__).parent / "inside"
"""Scripts for the application's own environment."""

FAULTS = "faults.log"

# Seconds; a suite runs for a few, and a hanging one must not hold up the other jobs.
TIME_LIMIT = 1800


@dataclass(frozen=True)
class Positions:
    """Lines as (file, line) and branches as (file, from line, to line)."""

    lines: frozenset[tuple[str, int]]
    branches: frozenset[tuple[str, int, int]]

    def without(self, other: Positions) -> Positions:
        """Return what is here and not in the other."""
        return Positions(self.lines - other.lines, self.branches - other.branches)

    def within(self, other: Positions) -> Positions:
        """Return what is here and in the other."""
        return Positions(self.lines & other.lines, self.branches & other.branches)

    def counts(self) -> dict[str, int]:
        """Return how many there are, for a JSON document."""
        return {"lines": len(self.lines), "branches": len(self.branches)}


@dataclass(frozen=True)
class Measurement:
    """What was covered, and what there is to cover."""

    covered: Positions
    total: Positions


def read_report(document: Mapping[str, Any]) -> Measurement:
    """Read a report of ``coverage json`` with branches."""
    covered_lines, total_lines = set[tuple[str, int]](), set[tuple[str, int]]()
    covered_branches, total_branches = set[tuple[str, int, int]](), set[tuple[str, int, int]]()
    for file, entry in document["files"].items():
        covered_lines.update((file, line) for line in entry["executed_lines"])
        total_lines.update((file, line) for line in entry["missing_lines"])
        covered_branches.update((file, *pair) for pair in entry["executed_branches"])
        total_branches.update((file, *pair) for pair in entry["missing_branches"])
    covered = Positions(frozenset(covered_lines), frozenset(covered_branches))
    missing = Positions(frozenset(total_lines), frozenset(total_branches))
    total = Positions(covered.lines | missing.lines, covered.branches | missing.branches)
    return Measurement(covered, total)


def run_under_coverage(
    python: Path, project: Path, application: Application, command: Sequence[str]
) -> tuple[subprocess.CompletedProcess[str], Measurement]:
    """Run a module or script in a project with branch coverage of the application.

    Exceptions that the application does not handle are logged to `FAULTS`.

    Raises:
        RuntimeError: when coverage.py has no data.

    """
    data, report = project / ".coverage", project / "coverage.json"
    data.unlink(missing_ok=True)
    coverage = [str(python), "-m", "coverage"]
    source = f"--source={','.join(application.packages)}"
    extra = {
        "FAULT_LOG": str(project / FAULTS),
        "FAULT_PACKAGES": ",".join(application.packages),
        "PYTHONPATH": str(INSIDE),
    }
    measuring = [*coverage, "run", "--branch", source, f"--data-file={data}"]
    finished = run([*measuring, *command], project, extra)
    omit = [f"--omit={','.join(application.omit)}"] if application.omit else []
    run([*coverage, "json", "-q", f"--data-file={data}", "-o", str(report), *omit], project)
    if not report.exists():
        raise RuntimeError(f"nothing was measured: {last_line(finished.stdout + finished.stderr)}")
    document = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    return finished, read_report(document)


def run(
    command: Sequence[str], project: Path, extra: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """Run a command in a project, with `extra` variables, and return its output."""
    return subprocess.run(
        command,
        cwd=project,
        env={**process_environment(), **extra},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIME_LIMIT,
        check=False,
    )


def measure_creation(python: Path, project: Path, application: Application) -> Measurement:
    """Measure what importing and creating the application covers.

    Raises:
        RuntimeError: when it cannot be created.

    """
    script = project / "create_application.py"
    script.write_text(application.creation + "\n", encoding="utf-8")
    finished, measurement = run_under_coverage(python, project, application, [script.name])
    script.unlink()
    if finished.returncode != 0:
        raise RuntimeError(f"{application.name} cannot be created: {finished.stderr}")
    return measurement


def measure_suite(python: Path, project: Path, application: Application) -> dict[str, Any]:
    """Measure what the written suite covers, with that of units, as a part of a job's result."""
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fault_log"]
    folders = (application.output, f"{application.output}_units")
    written = [folder for folder in folders if (project / folder).is_dir()]
    return measure_command(python, project, application, [*command, *written])


def measure_command(
    python: Path, project: Path, application: Application, command: Sequence[str]
) -> dict[str, Any]:
    """Measure what a module or script covers, and which faults it shows.

    ``covered`` and ``total`` have what creating the application covers taken off;
    ``covered_with_creation`` and ``total_with_creation`` have not.  ``faults`` are distinct
    pairs of exception and innermost frame of the application.
    """
    created = measure_creation(python, project, application)
    log = project / FAULTS
    log.unlink(missing_ok=True)
    finished, measured = run_under_coverage(python, project, application, command)
    covered = Positions(
        measured.covered.lines | created.covered.lines,
        measured.covered.branches | created.covered.branches,
    )
    rest = created.total.without(created.covered)
    return {
        "covered": covered.within(rest).counts(),
        "total": rest.counts(),
        "covered_with_creation": covered.counts(),
        "total_with_creation": created.total.counts(),
        "uncovered_lines": sorted(f"{file}:{line}" for file, line in rest.without(covered).lines),
        "faults": sorted(set(log.read_text(encoding="utf-8").splitlines())) if log.exists() else [],
        "exit_code": finished.returncode,
        "last_line": last_line(finished.stdout),
    }


def last_line(text: str) -> str:
    """Return the last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
