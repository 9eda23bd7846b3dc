"""Runs pytest from outside: it bounds the time, and ends what pytest leaves running.

    python -I -S supervising.py SECONDS FOLDER COMMAND...

A plain run (`plain`) has no plugin that could do this in its own process.

    the time is up         pytest gets the signal of Ctrl-C: it tears fixtures down, and writes its
                           report about the tests so far; a moment later the process is killed
    the report is there    the application may keep the process alive, by a thread that is no
                           daemon; it gets the same signals
    pytest has ended       its descendants are ended, also those that have left its session
                           (Linux: this process adopts them)
    the search has died    this process and pytest end with it (Linux)

    FOLDER/report.xml    what pytest writes at its end
    FOLDER/steps         what `plain` writes for each step of a test
    FOLDER/ending.json   what this process writes: an `Ending`

Verification runs execute a copy of this file, so it imports nothing from pytest-evosearch.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

GLANCE_SECONDS = 0.25

LINGERING_SECONDS = 5.0
"""Seconds that pytest may go on after its report: plugins report, threads end."""

GRACE_SECONDS = 5.0
"""Seconds between the signal of Ctrl-C and the end."""

DESCENDANTS_GRACE_SECONDS = 0.5

MOST_TIMES = 3.0
"""How many times as long a run may take whose processor is busy with other programs.

Without this, a busy machine ends it before its first test, and no test can be kept.
"""

REPORT, STEPS, ENDING = "report.xml", "steps", "ending.json"


@dataclass
class Ending:
    """How a process has ended."""

    code: int = 0
    """The exit code; negative for a signal."""
    is_stopped: bool = False
    """Whether the time was up."""
    has_lingered: bool = False
    """Whether something kept it alive after its report."""
    idle: float = 0.0
    """Seconds since the last step of a test when the time was up."""
    left: int = 0
    """Number of its processes that went on without it."""


def supervised(command: list[str], seconds: float, folder: Path) -> Ending:
    """Run `command` at most so long, and not much longer than until its report exists.

    The time in which other programs keep it from running does not count, within `MOST_TIMES`.
    """
    prepare = None
    if sys.platform == "linux":
        prepare = partial(_module("evosearch_orphaned").end_with_parent, os.getpid())
    process = subprocess.Popen(
        command, start_new_session=os.name == "posix", preexec_fn=prepare, stdin=subprocess.DEVNULL
    )
    ending = Ending()
    began, own_began = time.monotonic(), own_time(process.pid)
    reported = float("inf")
    while not _has_ended(process, GLANCE_SECONDS):
        own = own_time(process.pid)
        if reported == float("inf") and (folder / REPORT).exists():
            reported = own
        is_over = own - own_began > seconds or time.monotonic() - began > MOST_TIMES * seconds
        ending.has_lingered = own > reported + LINGERING_SECONDS
        ending.is_stopped = is_over and not ending.has_lingered
        if ending.has_lingered or ending.is_stopped:
            ending.idle = _idle_seconds(folder / STEPS)
            _stop(process)
            break
    ending.code = process.wait()
    return ending


def own_time(process: int, processes: Path = Path("/proc")) -> float:
    """Return a time that stands still while other programs keep a process from running (Linux)."""
    try:
        scheduled = (processes / str(process) / "schedstat").read_text(encoding="ascii")
        return time.monotonic() - int(scheduled.split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return time.monotonic()


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _idle_seconds(steps: Path) -> float:
    return time.time() - steps.stat().st_mtime if steps.exists() else 0.0


def _stop(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        process.send_signal(signal.SIGINT)
        if _has_ended(process, GRACE_SECONDS):
            return
    process.kill()


def end_descendants(processes: Any) -> int:
    """End what still descends from this process after a moment; return the number."""
    end = time.monotonic() + DESCENDANTS_GRACE_SECONDS
    while processes.descendants_of(os.getpid()) and time.monotonic() < end:
        time.sleep(0.01)
    return int(processes.end_descendants())


def main(seconds: str, folder: str, *command: str) -> None:
    """Supervise a command, and report how it has ended."""
    processes = _module("evosearch_child_processes")
    processes.adopt_orphans()
    _module("evosearch_orphaned")  # it lets this process end with the search
    found = supervised(list(command), float(seconds), Path(folder))
    found.left = end_descendants(processes)
    Path(folder, ENDING).write_text(json.dumps(asdict(found)), encoding="utf-8")


def _module(name: str) -> Any:
    """Return a module beside this file."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        return importlib.import_module(name)
    finally:
        del sys.path[0]


if __name__ == "__main__":
    main(*sys.argv[1:])
