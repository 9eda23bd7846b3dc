"""Other tools, and the applications' own tests, by the same ruler.

    schemathesis            with the OpenAPI document that the application serves, or that is
                            written for it in `documents`
    schemathesis-routes     with one that is made from its URL map alone
    own-tests               what the project itself has for tests; the budget means nothing to it

Where the project names users, Schemathesis sends nine of ten requests as them
(`inside/credentials.py`).  It writes no tests: the requests that it made in its time are sent
again, in order, to an application made anew, under coverage.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks import measure
from benchmarks.applications import Application
from benchmarks.jobs import Job
from benchmarks.metering import run_metered

SCHEMATHESIS = "schemathesis==4.32.5"
KINDS = {"schemathesis": "served", "schemathesis-routes": "generated"}
OWN_TESTS = "own-tests"
TOOLS = (*KINDS, OWN_TESTS)

LOG = "requests.jsonl"

GRACE = 300
"""Seconds that Schemathesis may need beyond its time: it ends a phase before it looks."""


def requirements_of(tool: str) -> tuple[str, ...]:
    """Return what a tool needs besides the application."""
    return (SCHEMATHESIS,) if tool in KINDS else ()


def run(job: Job, python: Path, project: Path, budget: int) -> dict[str, Any]:
    """Let the tool of `job` work on `project` for `budget` seconds, and measure it.

    Raises:
        RuntimeError: when it made nothing that can be measured.

    """
    if job.tool == OWN_TESTS:
        return _own_tests(job.application, python, project)
    return _schemathesis(job, python, project, budget)


def _own_tests(application: Application, python: Path, project: Path) -> dict[str, Any]:
    if not application.own_tests:
        raise RuntimeError(f"{application.name} ships no tests")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *application.own_tests]
    suite = measure.measure_command(python, project, application, command)
    return {"exit_code": 0, "seconds": 0.0, "suite": suite}


def _schemathesis(job: Job, python: Path, project: Path, budget: int) -> dict[str, Any]:
    application = job.application
    script = str(measure.INSIDE / "schemathesis_session.py")
    arguments = [
        application.name,
        application.creation,
        str(budget),
        str(job.seed),
        LOG,
        KINDS[job.tool],
    ]
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    finished = run_metered(
        [str(python), script, *arguments],
        project,
        environments.process_environment(),
        budget + GRACE,
    )
    if finished.exit_code != 0:
        raise RuntimeError(f"Schemathesis failed: {finished.errors[-600:]}")
    _bring_back(project, before)
    command = [str(measure.INSIDE / "replay.py"), application.name, application.creation, LOG]
    return {
        "exit_code": 0,
        "session": json.loads(measure.last_line(finished.output)),
        **finished.describe(),
        "suite": measure.measure_command(python, project, application, command),
    }


def _bring_back(project: Path, before: dict[Path, bytes]) -> None:
    """Give the replay the files that the session found."""
    for path in project.rglob("*"):
        if path.is_file() and path not in before and path.name != LOG:
            path.unlink()
    for path, content in before.items():
        path.write_bytes(content)
