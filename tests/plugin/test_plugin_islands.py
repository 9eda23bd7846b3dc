"""``-n N`` of pytest-xdist: as many searches at the same time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("xdist")

TIMEOUT_SECONDS = 150.0

ROOMS = """
import hashlib
import os

from flask import Flask, abort, jsonify

app = Flask(__name__)


@app.get("/door/<int:code>")
def door(code):
    if code == 7919:
        return jsonify(open=True)
    if hashlib.sha256(str(code).encode()).hexdigest().startswith("0000000000"):
        return jsonify(open="by magic")
    abort(404)
"""

CONFTEST = """
import pathlib
import sqlite3

import pytest
from rooms import app


@pytest.fixture
def client(worker_id):
    pathlib.Path("workers").mkdir(exist_ok=True)
    with open("workers/" + worker_id, "w") as file:
        file.write("here")
    if worker_id != "master":
        with sqlite3.connect("workers/" + worker_id + ".db") as connection:
            connection.execute("create table visits (number integer)")
    return app.test_client()
"""


@pytest.fixture
def rooms(project):
    """A project whose client tells which worker it is for."""
    folder = project.path / "scratch"
    folder.mkdir()
    project.monkeypatch.setenv("TMPDIR", str(folder))
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")
    project.write(rooms=ROOMS, conftest=CONFTEST, test_rooms="def test_it(client): pass\n")
    return project


def search(rooms, *arguments: str, once: bool = False) -> pytest.RunResult:
    result = rooms.run(*arguments, "--evosearch-seed=1", subprocess=True, once=once)
    assert not list(temporary(rooms).glob("evosearch-islands-*"))
    return result


def temporary(rooms) -> Path:
    folder: Path = rooms.path / "scratch"
    return folder


def written(rooms) -> dict[str, str]:
    folder = rooms.path / "evosearch"
    return {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}


def evaluations(rooms) -> int:
    report = rooms.path / ".pytest_cache" / "d" / "evosearch" / "report.json"
    number: int = json.loads(report.read_text())["run"]["evaluations"]
    return number


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_islands_share_the_evaluations_and_give_the_same_suite_again(rooms) -> None:
    result = search(rooms, "--evosearch=90x", "-n", "3", once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["evosearch: budget=90x * -n 3", "reproduce: *-n 3"])
    result.stdout.no_fnmatch_line("*ended early*")
    # Each has 30, and home executes what the others found besides.
    assert 90 <= evaluations(rooms) <= 130
    first = written(rooms)
    assert any("def test_" in text for text in first.values())
    # Fixtures took the others for workers, whose files are copies, databases included.
    assert [path.name for path in (rooms.path / "workers").iterdir()] == ["master"]

    for path in (rooms.path / "evosearch").iterdir():
        if path.is_file():
            path.unlink()
    search(rooms, "--evosearch=90x", "-n", "3", once=True)
    assert written(rooms) == first


@pytest.mark.slow("whole commands run")
def test_an_island_that_dies_costs_nothing(rooms) -> None:
    rooms.write(
        rooms=ROOMS + 'if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":\n'
        "    raise RuntimeError('no room')\n"
    )
    result = search(rooms, "--evosearch=60x", "-n", "2", once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["evosearch: island 1 ended early (*no room*"])
    assert written(rooms)


def test_nobody_is_started_for_a_plan(rooms) -> None:
    search(rooms, "--evosearch-plan", "-n", "2")
    assert not list((rooms.path / "workers").glob("gw*"))


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_keeps_what_all_have_found(rooms) -> None:
    arguments = [*rooms.plugins, "--evosearch=5m", "--evosearch-seed=1", "-n", "2"]
    arguments.append("--evosearch-set=plan.circumstances=first")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=rooms.path,
        env={**os.environ, "TMPDIR": str(temporary(rooms))},
    )
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not list(temporary(rooms).glob("evosearch-islands-*/1-0.message")):
        assert time.monotonic() < deadline, "the island told nothing"
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 2, output
    assert written(rooms)
    assert not list(temporary(rooms).glob("evosearch-islands-*"))
