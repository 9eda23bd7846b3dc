"""A process that hangs or crashes in C becomes its command once more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_evosearch.sut.sandbox.fresh_start import REASON
from pytest_evosearch.sut.sandbox.hang import SIGNAL

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tell of a hang")

REPOSITORY = Path(__file__).parents[4]

HANGING = """
import ctypes, faulthandler, itertools, json, os, resource, signal, sqlite3, subprocess, sys
import threading, time
from pathlib import Path
from pytest_evosearch.sut.sandbox.fresh_start import FreshStart

folder = Path(sys.argv[1])
if "TOLD" in os.environ:
    print(json.dumps({
        "process": os.getpid(),
        "told": os.environ["TOLD"],
        "strange": "STRANGE" in os.environ,
        "folder": os.getcwd(),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "umask": os.umask(0),
        "blocked": [int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
        "timer": signal.getitimer(signal.ITIMER_REAL)[0],
        "children": Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(),
    }))
    sys.exit(5)

def late(*_given):
    raise TimeoutError

def hang_holding_the_lock():
    -1 in itertools.count()

def hang_without_it():
    sqlite3.connect(":memory:").execute(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    ).fetchall()

os.umask(0o022)
streams = [os.dup(one) for one in (0, 1, 2)]
start = FreshStart([sys.executable, *sys.argv], folder, streams)
def crash():
    ctypes.string_at(0)

def crash_in_a_thread():
    thread = threading.Thread(target=crash)
    thread.start()
    thread.join()

def crash_in_a_child_at_first():
    if os.fork() == 0:
        crash()
    _child, status = os.wait()
    assert os.WTERMSIG(status) == signal.SIGSEGV
    crash()

note = folder / "note"
with start.possible(note, {"TOLD": "it hung"}, True) as possible, note.open("w") as noted:
    assert possible
    faulthandler.enable(noted, all_threads=False)
    subprocess.Popen(["sleep", "100"])
    print(os.getpid(), flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ["STRANGE"] = "left"
    os.chdir("/")
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    signal.signal(signal.SIGALRM, late)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    KIND()
"""


@pytest.mark.parametrize("kind", ["hang_holding_the_lock", "hang_without_it"])
def test_a_process_that_hangs_becomes_its_command_once_more(tmp_path, kind: str) -> None:
    become_once_more(tmp_path, kind)
    assert (tmp_path / "note").read_text() == REASON


@pytest.mark.parametrize("kind", ["crash", "crash_in_a_thread", "crash_in_a_child_at_first"])
def test_a_process_that_crashes_becomes_its_command_once_more(tmp_path, kind: str) -> None:
    become_once_more(tmp_path, kind)
    first, *frames = (tmp_path / "note").read_text().splitlines()
    assert first == "Fatal Python error: Segmentation fault"
    assert any(f'"{tmp_path / "hanging.py"}", line' in frame for frame in frames)


def become_once_more(tmp_path: Path, kind: str) -> None:
    """Run the script, and check what it is and has when it begins for the second time."""
    import json
    import resource

    script = tmp_path / "hanging.py"
    script.write_text(HANGING.replace("KIND", kind))
    running = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    try:
        assert running.stdout is not None
        assert int(running.stdout.readline()) == running.pid
        if kind.startswith("hang"):
            time.sleep(1)
            os.kill(running.pid, SIGNAL)
        told = json.loads(running.communicate(timeout=60)[0])
    finally:
        running.kill()
    assert running.returncode == 5
    assert told == {
        "process": running.pid,
        "told": "it hung",
        "strange": False,
        "folder": str(tmp_path),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "umask": 0o022,
        "blocked": [],
        "timer": 0.0,
        "children": "",
    }


def test_without_a_search_the_signal_means_what_it_always_does() -> None:
    assert signal.getsignal(SIGNAL) is signal.SIG_DFL
