"""The frame of the kit: a search of a small hostile application, shut in so that it harms nothing.

    def test_...(run_in_namespace):
        run = run_in_namespace({"app.py": APPLICATION}, budget=60)
        run.is_well()                                  # ended in time, nothing left, exit 0
        assert run.tells("POST /jobs .* processes")    # in one line
        assert run.writes("/ok")                       # tests of the harmless endpoints
        assert run_in_namespace.again(run).passes()    # plain pytest on what was written

The application gets a process namespace of its own where the machine allows one, and limits of
memory, processes and time everywhere.  Nothing beyond loopback is reachable in it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]

SPARE_SECONDS = 30.0
"""A run may take so long beyond its budget, on a machine that does nothing else."""

ONCE = ("--evosearch-set", "plan.circumstances=first")
"""Where evaluations are counted: runs with a budget of seconds verify in all circumstances."""

COUNTED_SECONDS = 90.0
"""What a budget of evaluations counts: how long one takes depends on what else the machine does."""

NAMESPACES: tuple[tuple[str, ...], ...] = (
    ("unshare", "-p", "-f", "--kill-child", "--mount-proc", "-n"),
    ("unshare", "-r", "-p", "-f", "--kill-child", "--mount-proc", "-n"),
    ("unshare", "-p", "-f", "--kill-child", "--mount-proc"),
    (),
)
"""Ways of shutting a command in, the strictest first; the last is none at all."""

HARMLESS = """
from flask import Flask, jsonify, request

app = Flask(__name__)


@app.get("/ok")
def ok():
    return jsonify(ok=True)


@app.get("/sized/<int:number>")
def sized(number):
    if number > 10:
        return jsonify(big=number)
    return jsonify(small=number)
"""
"""Endpoints whose tests have to be written whatever the others do; append yours."""


@cache
def way_in() -> tuple[str, ...]:
    """Return how commands are shut in on this machine."""
    for way in NAMESPACES:
        if not way:
            break
        if shutil.which(way[0]) is None:
            continue
        tried = subprocess.run(
            [*way, "true"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
        )
        if tried.returncode == 0:
            return way
    return ()


def busyness() -> float:
    """Return how many times as long a run takes beside what else the machine does."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@dataclass(frozen=True)
class HostileRun:
    """What one contained run of pytest did."""

    folder: Path
    output: str
    code: int | None
    seconds: float
    most: int
    multiplied: bool
    left: Sequence[str]
    allowed: float

    def is_well(self, code: int = 0) -> None:
        """Fail unless the run ended by itself, in time, and left no process behind."""
        assert not self.multiplied, f"{self.most} processes\n{self.output}"
        assert self.code == code, f"{self.code} after {self.seconds:.1f} s\n{self.output}"
        assert self.seconds < self.allowed, self.output
        assert not self.left, f"{self.left}\n{self.output}"

    def tells(self, pattern: str) -> bool:
        """Say whether one line of the output matches."""
        return any(re.search(pattern, line) for line in self.output.splitlines())

    @property
    def written(self) -> str:
        """The text of the written tests."""
        found = sorted(self.folder.rglob("test_evosearch_*.py"))
        return "\n".join(path.read_text(encoding="utf-8") for path in found)

    def writes(self, *addresses: str) -> bool:
        """Say whether there are tests of all `addresses`."""
        return all(f'"{one}"' in self.written or f'"{one}/' in self.written for one in addresses)

    def passes(self) -> bool:
        """Say whether the run was one of tests that all passed."""
        return self.code == 0 and " passed" in self.output


class Namespaces:
    """Runs pytest on applications, each shut in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs = 0

    def __call__(
        self,
        files: Mapping[str, str],
        *options: str,
        evaluations: int = 100,
        seconds: float = 0.0,
        spare: float = SPARE_SECONDS,
        environment: Mapping[str, str] | None = None,
        app: str = "app:app",
        mounts: Sequence[str] = (),
        name: str = "project",
    ) -> HostileRun:
        """Search the project of `files` (path to text), for `evaluations` or for `seconds`.

        Its folder is called `name`, with a number.  Each of `mounts` is an option of
        ``contained_command.py``, and a folder: with a slash in front it lies beside the project.
        """
        project = self.next_project(name)
        self._runs += 1
        for path, text in {"pytest.ini": "[pytest]\n", **files}.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text, encoding="utf-8")
        given = ["-p", "pytest_evosearch.plugin", "--evosearch-seed=1"]
        counted = (f"--evosearch={evaluations}x", *ONCE)
        given += [f"--evosearch={seconds:g}s"] if seconds else counted
        if app:
            given.append(f"--evosearch-app={app}")
        budget, spare = seconds or COUNTED_SECONDS, spare * busyness()
        mounted = [self._mounted(project, *one.split(" ")) for one in mounts]
        return self.pytest(
            project,
            *given,
            *options,
            allowed=budget + spare,
            more=environment,
            mounts=[part for one in mounted for part in one],
        )

    def next_project(self, name: str = "project") -> Path:
        """Return the folder of the project that is searched next."""
        return self._folder / f"{name}{self._runs + 1}"

    def _mounted(self, project: Path, option: str, folder: str) -> tuple[str, str]:
        if not way_in():
            pytest.skip("file systems are mounted in a namespace")
        path = self._folder / folder[1:] if folder.startswith("/") else project / folder
        path.mkdir(parents=True, exist_ok=True)
        return option, str(path)

    def again(self, run: HostileRun, *options: str, allowed: float = SPARE_SECONDS) -> HostileRun:
        """Run the written tests as their user does, without the plugin."""
        folders = {path.parent for path in run.folder.rglob("test_evosearch_*.py")}
        return self.pytest(run.folder, *map(str, sorted(folders)), *options, allowed=allowed)

    def pytest(
        self,
        project: Path,
        *arguments: str,
        allowed: float,
        more: Mapping[str, str] | None = None,
        mounts: Sequence[str] = (),
    ) -> HostileRun:
        """Run pytest in `project`, and end it some seconds after the `allowed` ones."""
        self._runs += 1
        report = self._folder / f"report{self._runs}.json"
        output = self._folder / f"output{self._runs}.txt"
        launcher = [sys.executable, str(HERE / "contained_command.py"), str(report)]
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        with output.open("wb") as file:
            subprocess.run(
                [*way_in(), *launcher, f"{allowed + 10:g}", *mounts, *command],
                cwd=project,
                env=self._environment(more or {}),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=allowed + 30,
                check=False,
            )
        text = output.read_text(encoding="utf-8", errors="replace")
        assert report.exists(), text
        told = json.loads(report.read_text())
        return HostileRun(project, text, allowed=allowed, **told)

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        ours = ("PYTEST_", "EVOSEARCH_", "COV_CORE_", "COVERAGE_")
        kept = {name: text for name, text in os.environ.items() if not name.startswith(ours)}
        temporary = self._folder / "temporary"
        temporary.mkdir(exist_ok=True)
        fixed = {"PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return {**kept, **fixed, "TMPDIR": str(temporary), **more}


@pytest.fixture(scope="module")
def run_in_namespace(tmp_path_factory: pytest.TempPathFactory) -> Namespaces:
    """Search hostile applications in namespaces of their own."""
    if sys.platform != "linux":
        pytest.skip("hostile applications run in namespaces of Linux")
    return Namespaces(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def harmless() -> str:
    """Endpoints whose tests have to be written whatever the others do."""
    return HARMLESS
