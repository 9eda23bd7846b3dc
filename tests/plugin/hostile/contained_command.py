"""Run one command under limits, and say what became of it and of the processes that it started.

    python contained_command.py REPORT SECONDS [--small FOLDER] COMMAND...

Instead of ``--small``, which makes a small file system of the folder, ``--full`` makes one without
room for anything, and ``--read-only`` one that nothing can be written to.

Meant to be the first process of a namespace; elsewhere it adopts whatever loses its parent.  The
report is a JSON object: ``code`` (None when time was up), ``seconds``, ``most`` (processes at one
moment), ``multiplied`` and ``left`` (what ran on after the command).

A command that multiplies makes a machine unusable within seconds, so the kernel refuses processes
beyond `REFUSED_BEYOND` wherever it lets itself be asked.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None

MOST_PROCESSES = 300
"""Beyond these a command is ended: the application has multiplied itself."""

REFUSED_BEYOND = 600

MEMORY = 8_000_000_000
"""Bytes of addresses that each process may have."""

GLANCE_SECONDS = 0.03
GRACE_SECONDS = 1.0
"""For what ends by itself once the command has ended."""

ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER."""

GROUP = Path("/sys/fs/cgroup/pids/evosearch-hostile")
HIGHEST_NUMBER = Path("/proc/sys/kernel/pid_max")
HIGHEST = 4_000
OWN_HIGHEST_NUMBER = (6, 14)
"""The version of Linux from which on each namespace has its own highest number.  Numbers are used
again only after all others were, so that it is higher than what is refused."""

SMALL = 65536
"""Bytes of a small file system."""

IS_FIRST = os.getpid() == 1


def limit() -> None:
    """Limit memory, and the number of processes."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        if GROUP.parent.is_dir():
            GROUP.mkdir(exist_ok=True)
            (GROUP / "pids.max").write_text(str(REFUSED_BEYOND))
            (GROUP / "cgroup.procs").write_text("0")
    version = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    if IS_FIRST and version >= OWN_HIGHEST_NUMBER:
        with suppress(OSError):
            HIGHEST_NUMBER.write_text(str(HIGHEST))


def with_file_systems(command: Sequence[str]) -> Sequence[str]:
    """Mount what `command` begins with, and return the rest of it."""
    while command[0].startswith("--"):
        option, folder, *command = command
        if option == "--read-only":
            subprocess.run(["mount", "--bind", folder, folder], check=True)
            # A namespace of a user may not take away what the mount above forbids.
            flags = ("", ",nosuid,nodev", ",nosuid,nodev,noexec")
            ways = [["mount", "-o", f"remount,ro,bind{one}", folder] for one in flags]
            if all(subprocess.run(way, check=False).returncode for way in ways):
                raise OSError(f"{folder} cannot be made read-only")
            continue
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "small", folder], check=True)
        if option == "--full":
            with suppress(OSError), Path(folder, "filling").open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
    return command


def processes_below(root: int) -> dict[int, str]:
    """Return the running processes that descend from `root`, with their commands."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            number = int(entry.name)
            status = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
            if status[0] != "Z":
                parents[number] = (int(status[1]), command.decode("utf-8", "replace").strip())
    found: dict[int, str] = {}
    waiting = [root]
    while waiting:
        above = waiting.pop()
        below = [one for one, (parent, _command) in parents.items() if parent == above]
        found |= {one: parents[one][1] for one in below}
        waiting += below
    return found


def number_of_processes() -> int:
    """Count the processes beside this one, in a cheap way where there is one."""
    if IS_FIRST:
        return sum(entry.name.isdigit() for entry in Path("/proc").iterdir()) - 1
    return len(processes_below(os.getpid()))


def end_all() -> None:
    """End everything that descends from here: it is stopped first, so that it cannot go on."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        if IS_FIRST:
            with suppress(OSError):
                os.kill(-1, number)
            continue
        seen: set[int] = set()
        while fresh := processes_below(os.getpid()).keys() - seen:
            seen |= fresh
            for one in fresh:
                with suppress(OSError):
                    os.kill(one, number)


def main(report: str, seconds: str, *given: str) -> None:
    """Run the command that is `given`."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    command = with_file_systems(given)
    limit()
    started, most, code = time.monotonic(), 0, None
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    while code is None and most <= MOST_PROCESSES and time.monotonic() - started < float(seconds):
        most = max(most, number_of_processes())
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(GLANCE_SECONDS)
    told = {"code": code, "seconds": time.monotonic() - started, "most": most}
    left: dict[int, str] = {}
    if code is not None:
        end = time.monotonic() + GRACE_SECONDS
        while (left := processes_below(os.getpid())) and time.monotonic() < end:
            time.sleep(GLANCE_SECONDS)
    told |= {"multiplied": most > MOST_PROCESSES, "left": list(left.values())}
    Path(report).write_text(json.dumps(told))
    end_all()


if __name__ == "__main__":
    main(*sys.argv[1:])
