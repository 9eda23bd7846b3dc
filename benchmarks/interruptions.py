"""Interrupts runs at random moments, and looks what is left of the user's files and of ours.

    python -m benchmarks.interruptions --times 50
    python -m benchmarks.interruptions --times 3 --seed 2 --ways SIGKILL

Each of three small projects (a SQLite file of their own, with rows; files that handlers write; one
that only its sandbox protects) is searched once to the end.  Then it is searched again and again,
each time with another seed and from the same files, and interrupted at a moment that is drawn
from the whole length of a run: by SIGKILL, SIGTERM, SIGINT, or SIGINT twice.  Looked at is

    at once       tests that are neither those of before nor verified ones, half-written files
    afterwards    what a plain ``pytest`` leaves: the project's files byte for byte, processes,
                  the temporary folder
    next          whether a run goes on from there to its end

The temporary folder is one of its own, so that nothing else is counted.  What was seen is printed
as a table for docs/robustness.md, also when the command is stopped early.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

WAYS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGINT twice")
END_SECONDS = 400.0
"""For a run that is not interrupted, on a machine that does much else."""

OURS = ("evosearch", ".pytest_cache", "__pycache__")
LEAVE_SECONDS = 3.0
"""In which processes have to be gone whose parent was killed."""

ROWS = """
import pathlib, sqlite3
from flask import Flask, jsonify, request
app = Flask(__name__)
HERE = pathlib.Path(__file__).parent

def run(statement, *values):
    with sqlite3.connect(HERE / "data.sqlite") as connection:
        return connection.execute(statement, values).fetchall()

@app.get("/rows")
def rows():
    return jsonify(run("select x from t"))

@app.post("/rows")
def add():
    body = request.get_json()
    if len(body["x"]) > 5:
        return {"error": "long"}, 422
    run("insert into t values (?)", body["x"])
    return {"x": body["x"]}, 201

@app.post("/clear")
def clear():
    run("delete from t")
    return "cleared"
"""

FILES = """
import os, pathlib
from flask import Flask, request
app = Flask(__name__)
HERE = pathlib.Path(__file__).parent

@app.put("/notes/<name>")
def put(name):
    text = request.get_data(as_text=True)
    if not name.isalnum():
        return {"error": "name"}, 400
    (HERE / "notes" / name).write_text(text)
    return {"name": name, "length": len(text)}, 201

@app.post("/config")
def config():
    unfinished = HERE / "config.txt.new"
    unfinished.write_text("level=" + request.args.get("level", "1"))
    os.replace(unfinished, HERE / "config.txt")
    return (HERE / "config.txt").read_text()

@app.delete("/notes")
def delete():
    for path in (HERE / "notes").iterdir():
        path.unlink()
    return "", 204
"""

CONFTEST = """
import pytest
from app import app as application

@pytest.fixture
def client():
    return application.test_client()
"""


@dataclass(frozen=True)
class Project:
    """An application, and whether the project has fixtures for it."""

    name: str
    app: str
    has_fixtures: bool

    def make(self, folder: Path) -> None:
        """Write the files of the project."""
        (folder / "notes").mkdir(parents=True)
        (folder / "app.py").write_text(self.app)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "config.txt").write_text("level=7\n")
        (folder / "notes" / "first").write_text("the first note")
        with closing(sqlite3.connect(folder / "data.sqlite")) as connection:
            connection.execute("create table t (x)")
            connection.executemany("insert into t values (?)", [(str(n),) for n in range(40)])
            connection.commit()
        if self.has_fixtures:
            (folder / "tests").mkdir()
            (folder / "tests" / "conftest.py").write_text(CONFTEST)
            (folder / "tests" / "test_own.py").write_text("def test_own():\n    pass\n")


PROJECTS = (
    Project("rows", ROWS, has_fixtures=True),
    Project("files", FILES, has_fixtures=True),
    Project("sandboxed", ROWS, has_fixtures=False),
)


@dataclass(frozen=True)
class Interruption:
    """One run that was interrupted, and what was seen afterwards."""

    project: str
    way: str
    phase: str
    """Where the run was; `ENDED` when it had ended by itself."""
    problems: Sequence[str]
    """What should not be, one line each."""


ENDED = "ended already"
HEADINGS = (
    "| way | runs | interrupted while | left something |",
    "|---|--:|---|--:|",
)


def table(seen: Sequence[Interruption]) -> str:
    """Return the interruptions as a table of Markdown, one row for each way, then all."""
    groups = {way: [one for one in seen if one.way == way] for way in WAYS}
    rows = [_row(way, group) for way, group in groups.items() if group]
    return "\n".join([*HEADINGS, *rows, _row("all", seen)])


def _row(title: str, seen: Sequence[Interruption]) -> str:
    phases = Counter(one.phase for one in seen)
    where = ", ".join(f"{phase} {times}" for phase, times in sorted(phases.items()))
    return f"| {title} | {len(seen)} | {where} | {sum(bool(one.problems) for one in seen)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Interrupt as often as asked for, and print what was left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--projects", default=",".join(one.name for one in PROJECTS))
    parser.add_argument("--budget", default="60x")
    given = parser.parse_args(arguments)
    wanted = [one for one in PROJECTS if one.name in given.projects.split(",")]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seen: list[Interruption] = []
    with suppress(KeyboardInterrupt):
        interrupt(wanted, given.ways.split(","), given.times, given.seed, given.budget, seen)
    print(table(seen))
    for one in seen:
        for problem in one.problems:
            print(f"{one.project}, {one.way} ({one.phase}): {problem}")
    return any(one.problems for one in seen)


def interrupt(
    projects: Sequence[Project],
    ways: Sequence[str],
    times: int,
    seed: int,
    budget: str,
    seen: list[Interruption],
) -> None:
    """Interrupt `times` runs, dealt out among the projects and the ways; add to what was `seen`."""
    drawn = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="interruptions-") as name:
        trials = {one.name: Trial(one, Path(name, one.name), budget) for one in projects}
        for number in range(times):
            trial = trials[projects[number % len(projects)].name]
            way = ways[number // len(projects) % len(ways)]
            seen.append(trial.interrupt(way, drawn.random(), number))


class Trial:
    """One project, searched once to the end, which says how long that takes."""

    def __init__(self, project: Project, folder: Path, budget: str) -> None:
        self.project = project
        self.folder = folder / "project"
        self.temporary = folder / "tmp"
        self._budget = budget
        project.make(self.folder)
        self._renew_temporary()
        self._run_to_the_end("--evosearch-seed=0")
        started = time.monotonic()
        self._run_to_the_end("--evosearch-seed=1")
        self._seconds = time.monotonic() - started
        self._template = folder / "template"
        shutil.copytree(self.folder, self._template)

    def _run_to_the_end(self, *arguments: str) -> None:
        """Search once; what is left of a run that was ended is nothing to compare with."""
        done = self._run(arguments)
        if done.returncode != 0:
            raise SystemExit(f"the first run ends with {done.returncode}: {done.stdout[-400:]}")

    def interrupt(self, way: str, share: float, number: int) -> Interruption:
        """Interrupt one run after a `share` of its time; look at what is left."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._template, self.folder)
        self._renew_temporary()
        before, suite = _contents(self.folder), _suite(self.folder)
        process = self._start([f"--evosearch-seed={number + 2}"])
        time.sleep(share * self._seconds)
        is_interrupted = process.poll() is None
        self._send(process, way)
        output = _output(process)
        phase = _phase(output) if is_interrupted else ENDED
        where = f"{self.project.name}, {way} after {share * self._seconds:.1f} s ({phase})"
        problems = self._problems_at_once(suite, way)
        problems += self._problems_afterwards(before)
        problems += self._problems_of_next(before)
        print(f"{number + 1}: {where}: {problems or 'nothing is left'}", file=sys.stderr)
        return Interruption(self.project.name, way, phase, problems)

    def _problems_at_once(self, suite: Mapping[str, bytes], way: str) -> list[str]:
        now = _suite(self.folder)
        problems = [f"half-written: {name}" for name in now if not _is_whole(name, now[name])]
        if now != suite and way == "SIGKILL" and not _is_complete(now):
            problems.append("the suite is neither the one of before nor a verified one")
        return problems

    def _problems_afterwards(self, before: Mapping[str, bytes]) -> list[str]:
        left = _processes(self.temporary)
        if left:
            time.sleep(LEAVE_SECONDS)
            left = _processes(self.temporary)
        problems = [f"still runs: {one}" for one in left]
        plain = self._run(["--collect-only"], search=False)
        if plain.returncode not in (0, 1, 5):
            problems.append(f"a plain pytest ends with {plain.returncode}: {plain.stdout[-400:]}")
        problems += _differences(before, _contents(self.folder))
        for path in self.folder.rglob("*unverified*"):
            if ".pytest_cache" not in path.parts:
                problems.append(f"stays: {path.name}")
        return problems

    def _problems_of_next(self, before: Mapping[str, bytes]) -> list[str]:
        done = self._run(["--evosearch-seed=0"])
        problems = _differences(before, _contents(self.folder))
        if done.returncode != 0 or "generated in" not in done.stdout:
            problems.append(f"the next run ends with {done.returncode}: {done.stdout[-400:]}")
        if " was called" in done.stdout:
            problems.append("an innocent call is blamed")
        left = [path.name for path in self.temporary.glob("evosearch-*")]
        return problems + [f"in the temporary folder: {name}" for name in left]

    def _renew_temporary(self) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)

    def _send(self, process: subprocess.Popen[str], way: str) -> None:
        number = getattr(signal, way.partition(" ")[0])
        process.send_signal(number)
        if way.endswith("twice"):
            time.sleep(0.2)
            process.send_signal(number)

    def _start(self, arguments: Sequence[str], search: bool = True) -> subprocess.Popen[str]:
        asked = [f"--evosearch={self._budget}", *arguments] if search else list(arguments)
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *asked],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.temporary), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _run(
        self, arguments: Sequence[str], search: bool = True
    ) -> subprocess.CompletedProcess[str]:
        process = self._start(arguments, search)
        output = _output(process)
        return subprocess.CompletedProcess(arguments, process.returncode, output)


def _output(process: subprocess.Popen[str]) -> str:
    try:
        return process.communicate(timeout=END_SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return f"{process.communicate()[0]}\nDOES NOT END"
    except BaseException:  # this command is stopped
        process.kill()
        raise


def _phase(output: str) -> str:
    """Return what the run said last before it was interrupted."""
    said = [line for line in output.splitlines() if line.startswith("evosearch: ")]
    found = [phase for line in said for word, phase in _PHASES.items() if f" {word}" in line]
    return found[-1] if found else "start"


_PHASES = {
    "evaluations/s": "searching",
    "running targeted": "asking",
    "minimising": "minimising",
    "writing": "writing",
    "measuring": "measuring",
}
"""What a line of a run says in each phase."""


def _contents(folder: Path) -> dict[str, bytes]:
    """Return the files of the project itself."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not set(OURS).intersection(path.relative_to(folder).parts)
    }


def _suite(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("evosearch/*"))
        if path.is_file() and ".pytest_cache" not in path.parts
    }


def _is_whole(name: str, content: bytes) -> bool:
    try:
        ast.parse(content) if name.endswith(".py") else json.loads(content)
    except (SyntaxError, ValueError):
        return False
    return True


def _is_complete(suite: Mapping[str, bytes]) -> bool:
    """Say whether each test of the ledger is there: the ledger is moved last."""
    ledger = next((text for name, text in suite.items() if name.endswith(".json")), b"{}")
    tests = [address.split("::") for address in json.loads(ledger).get("tests", {})]
    texts = {name.rpartition("/")[2]: text.decode() for name, text in suite.items()}
    return all(f"def {test}(" in texts.get(file, "") for file, test in tests)


def _differences(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> list[str]:
    changed = [name for name in before if now.get(name) != before[name]]
    new = [name for name in now if name not in before]
    return [f"changed: {name}" for name in changed] + [f"new: {name}" for name in new]


def _processes(temporary: Path) -> list[str]:
    """Return the command lines of living processes with our temporary folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment = (folder / "environ").read_bytes().split(b"\0")
            if f"TMPDIR={temporary}".encode() in environment:
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return [one for one in found if one]


if __name__ == "__main__":
    sys.exit(main())
