"""Searches of applications that end the process they run in, or others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters"),
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals"),
]

ENDING = """
import os, signal, sys, threading
from os import kill
from flask import Flask, request

app = Flask(__name__)


@app.get("/")
def index():
    return "world" if request.args.get("q") == "hello" else "hi"


@app.post("/stop")
def stop():
    kill(os.getpid(), signal.SIGINT)
    return "stopping"


@app.post("/restart")
def restart():
    os.execv(sys.executable, [sys.executable, "-c", "pass"])


@app.post("/stop-later")
def stop_later():
    threading.Timer(0.01, lambda: os._exit(3)).start()
    return "stopping"


@app.post("/stop-other")
def stop_other():
    with open("pid") as file:
        os.kill(int(file.read()), signal.SIGTERM)
    return "stopped"
"""

CRASHING = """
import ctypes
from flask import Flask, request

app = Flask(__name__)


@app.get("/")
def index():
    return "world" if request.args.get("q") == "hello" else "hi"


@app.get("/items")
def items():
    if request.args.get("sort") == "price":
        ctypes.string_at(0)
    return "items"
"""


@pytest.fixture
def searched(project):
    project.plugins = [
        "-p",
        "pytest_evosearch.plugin",
        "-p",
        "no:randomly",
        "-p",
        "no:faulthandler",
    ]
    project.pytester.syspathinsert()
    return project


def texts(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("test_evosearch_*.py")))


def test_no_handler_ends_the_search_or_another_process(searched) -> None:
    searched.write(ending=ENDING)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        (searched.path / "pid").write_text(str(bystander.pid))
        given = ["--evosearch=2s", "--evosearch-seed=1", "--evosearch-app=ending:app"]
        result = searched.run(*given, subprocess=True, once=True)
        assert bystander.poll() is None
        bystander.kill()

    output = "\n".join([*result.outlines, *result.errlines])
    assert result.ret == 0, output
    assert "5 of 5 endpoints reached" in output
    assert "faults: none" in output
    assert "it sends SIGINT to the process that runs it, which other tests share" in output
    assert "it replaces the process by another program" in output
    assert "it starts a thread that ends the process" in output
    assert "in a real run it would send SIGTERM to a process that it did not start" in output
    written = texts(searched.path)
    assert "hello" in written
    assert not re.search("/stop|/restart", written)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_the_run_after_a_crash_of_the_interpreter_goes_on(searched) -> None:
    searched.write(crashing=CRASHING)
    given = ["--evosearch=150x", "--evosearch-seed=1", "--evosearch-app=crashing:app"]

    first = searched.run(*given, subprocess=True, once=True)
    assert first.ret < 0, "\n".join(first.outlines)
    assert not texts(searched.path)

    second = searched.run(*given, subprocess=True, once=True)
    output = "\n".join([*second.outlines, *second.errlines])
    assert second.ret == 0, output
    assert "the run before this one died when GET /items was called" in output
    assert "SIGSEGV" in output
    assert "hello" in texts(searched.path)

    in_forks = ["--evosearch=40x", *given[1:], "--evosearch-set=state.fork=always"]
    third = searched.run(*in_forks, subprocess=True, once=True)
    assert "died" not in "\n".join(third.outlines)
