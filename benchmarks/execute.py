"""Runs one job: search in a fresh copy of the project, then measure what was written."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks import measure
from benchmarks import reruns
from benchmarks import rivals
from benchmarks.applications import PROJECTS
from benchmarks.jobs import Job
from benchmarks.metering import run_metered

# Seconds beyond the budget for minimising, writing and verifying.
GRACE = 900
SECONDS = {"s": 1, "m": 60, "h": 3600}

ONE_TEST = "def test_client(client):\n    assert client is not None\n"


def execute(job: Job, cache: Path, ways: int = len(reruns.WAYS)) -> dict[str, Any]:
    """Run a job and return its result, ready for JSON; a failed step is an ``error`` in it.

    The written suite is run again in the first `ways` of `reruns.WAYS`.
    """
    python = environments.prepare(job.application, cache, rivals.requirements_of(job.tool))
    with tempfile.TemporaryDirectory(prefix=f"evosearch-{job.key}-") as folder:
        project = copy_project(job, Path(folder))
        result: dict[str, Any] = {
            "application": job.application.name,
            "tool": job.tool,
            "budget": job.budget,
            "seed": job.seed,
            "revision": revision(),
        }
        try:
            if job.tool in rivals.TOOLS:
                budget = budget_in_seconds(job.budget)
                return {**result, **rivals.run(job, python, project, budget)}
            result.update(search(job, python, project))
            if not any((project / job.application.output).rglob("test_*.py")):
                raise RuntimeError(f"no suite was written (exit code {result['exit_code']})")
            result["suite"] = measure.measure_suite(python, project, job.application)
            result["reruns"] = reruns.describe(reruns.rerun(python, project, job.application, ways))
            result["written"] = describe_files(project / job.application.output)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            result["error"] = f"{type(error).__name__}: {error}"
        return result


def copy_project(job: Job, folder: Path) -> Path:
    """Copy the project without what earlier runs left; an application without one gets none.

    Its tests are left out but for one that sends nothing: a search starts with what the
    project's own tests send, and no tool is to be told the answers.
    """
    project = folder / job.application.name
    if job.application.project is None:
        project.mkdir()
        (project / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        return project
    own = () if job.tool == rivals.OWN_TESTS else ("test_*.py",)
    leftovers = shutil.ignore_patterns(
        "__pycache__", ".*", "evosearch", "instance", "*.sqlite", *own
    )
    shutil.copytree(job.application.project, project, ignore=leftovers)
    if own and (project / "tests").is_dir():
        (project / "tests" / "test_client.py").write_text(ONE_TEST, encoding="utf-8")
    if job.application.project.parent == PROJECTS:
        shutil.copyfile(PROJECTS / "conftest.py", project / "conftest.py")
        (project / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return project


def search_command(job: Job, python: Path, project: Path) -> list[str]:
    """Write the command of the search."""
    return [
        str(python),
        *("-m", "pytest", "-p", "pytest_evosearch.plugin"),
        f"--evosearch={job.budget}",
        f"--evosearch-seed={job.seed}",
        f"--evosearch-algorithm={job.tool}",
        f"--evosearch-output={project / job.application.output}",
        f"--evosearch-report={project / 'report'}",
        *job.application.arguments,
    ]


def search(job: Job, python: Path, project: Path) -> dict[str, Any]:
    """Search, and return the exit code, the time it took, and what the tool says."""
    finished = run_metered(
        search_command(job, python, project),
        project,
        environments.search_environment(),
        budget_in_seconds(job.budget) + GRACE,
        project / job.application.output,
    )
    return {
        "exit_code": finished.exit_code,
        **finished.describe(),
        "terminal": finished.output[-8000:],
        "errors": finished.errors[-4000:],
        "report": read_reports(project / "report"),
    }


def budget_in_seconds(budget: str) -> int:
    """Return how long a budget such as ``90s`` takes; 0 for one of evaluations (``500x``)."""
    parts = re.findall(r"(\d+)([a-z])", budget)
    return sum(int(number) * SECONDS.get(unit, 0) for number, unit in parts)


def read_reports(folder: Path) -> dict[str, Any]:
    """Read the JSON files that the tool left in its report folder, by name."""
    return {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    }


def describe_files(output: Path) -> dict[str, int]:
    """Count the modules of the written suite and their lines."""
    modules = sorted(output.rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules)
    return {"modules": len(modules), "lines": lines}


def revision(folder: Path = environments.REPOSITORY) -> str:
    """Return the commit of a repository, this one's, with a ``+`` when something is changed."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return finished.stdout.strip()
