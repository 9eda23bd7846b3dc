"""Runs a written suite again: in another order, in two processes, in new interpreters."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.applications import Application
from benchmarks.measure import last_line
from benchmarks.measure import run

WAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("plain", ()),
    ("random order 1", ("-p", "pytest_randomly", "-p", "no:xdist", "--randomly-seed=1")),
    ("plain again", ()),
    ("random order 2", ("-p", "pytest_randomly", "-p", "no:xdist", "--randomly-seed=2")),
    ("two processes", ("-p", "xdist.plugin", "-n", "2")),
)

OUTCOMES = re.compile(r"(\d+) (passed|failed|error|errors|xfailed|xpassed|skipped)")


@dataclass(frozen=True)
class Rerun:
    """One more run of a written suite."""

    way: str
    exit_code: int
    summary: str
    failures: tuple[str, ...] = ()
    """The lines of pytest's short summary, ``FAILED test_shop.py::test_buy - KeyError: 1``."""

    @property
    def counts(self) -> dict[str, int]:
        """Return how many tests had which outcome."""
        return count_outcomes(self.summary)


def count_outcomes(summary: str) -> dict[str, int]:
    """Read the last line of pytest, ``3 passed, 1 xfailed in 0.2s``."""
    return {outcome: int(number) for number, outcome in OUTCOMES.findall(summary)}


def failures(output: str) -> tuple[str, ...]:
    """Return the lines of a run that name a test which did not pass."""
    return tuple(line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR ")))


def rerun(
    python: Path, project: Path, application: Application, ways: int = len(WAYS)
) -> list[Rerun]:
    """Run the written suite once in each of the first `ways`."""
    results = []
    for way, arguments in WAYS[:ways]:
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        try:
            finished = run([*command, application.output], project)
        except subprocess.TimeoutExpired:
            results.append(Rerun(way, -1, "timed out"))
        else:
            output = finished.stdout
            results.append(Rerun(way, finished.returncode, last_line(output), failures(output)))
    return results


def describe(results: list[Rerun]) -> dict[str, Any]:
    """Write the re-runs for a job's JSON result."""
    first = results[0].counts
    return {
        "passed": sum(result.exit_code == 0 and result.counts == first for result in results),
        "of": len(results),
        "outcomes": first,
        "ways": {result.way: result.summary for result in results},
        "failures": sorted({line for result in results for line in result.failures}),
    }
