"""Watches the descendants of a run from a separate process, and ends them when there are too many.

    main(RUN, PAGE, MOST, SHARE)

RUN is the process whose descendants are counted, and PAGE is a file that both have mapped
(`ceiling`). MOST is the number of descendants that are allowed. SHARE is the share of the
available memory that they may take (0: all).

A thread of the run could not do this: a handler that starts processes without end is busy, possibly
in C, and forks are not safe beside threads. Beyond the limits, the running call gets an alarm. All
processes of the application are stopped, so that none can start another one, and then ended. When
the run itself is gone, its last seen descendants are ended, too. A run that hangs in C gets a
signal to restart (`sut.sandbox.hang`).

    not ended            the run, who executes the call, the server of forks
    a unit of its own    pytest that verifies (it is ended as a whole), with what it starts
    not looked at        a search beside this one: it has a warden of its own

Only the standard library and one module beside this one are imported, so the warden starts quickly.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import time
from collections.abc import Collection
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.sut.sandbox import child_processes
from pytest_evosearch.sut.sandbox.hang import HangWatch

GLANCE_SECONDS = 0.02

LOOKS_TO_MEASURE = 5
LOOKS_TO_REMEMBER = 10

HIGH_PRIORITY = -15
_PRIORITY_OF_SESSION = Path("/proc/self/autogroup")
"""File of the session's priority.

Where the system divides time among sessions, the warden gets little of it beside a thousand forks.
"""

LAYOUT = struct.Struct("=qqq")
"""Layout of the page: process of a call (0 for none), its excess, and the fork server."""

AT_READY = LAYOUT.size
"""Offset of a 1 in the page that says that a process is watching."""

TOO_MANY, TOO_LARGE = 1, 2
"""Excesses of a call."""

_VERDICT = struct.Struct("=q")
_AT_VERDICT = 8

_VERIFYING = b"EVOSEARCH_VERIFYING="
_SEARCHING_BESIDE = child_processes.SEARCHING_BESIDE.encode()

_CGROUP_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


class Warden:
    """Watches one run."""

    def __init__(self, run: int, page: mmap.mmap, most: int, memory: float) -> None:
        self._run = run
        self._page = page
        self._most = most
        self._memory = memory
        """Most bytes; 0 for no limit."""
        self._kinds: dict[int, bytes] = {}
        own = self._variables_of(run)
        self._markers = [one for one in (_VERIFYING, _SEARCHING_BESIDE) if one not in own]
        self._known: dict[int, str] = {}
        """Recently seen processes -> their start times."""
        self._looks = 0

    def look(self) -> None:
        """Count the processes, and end those beyond the limit; usually this is quick."""
        below = self._everything()
        self._looks += 1
        if self._looks % LOOKS_TO_REMEMBER == 0:
            self._known = {one: self._known.get(one) or start_time_of(one) for one in below}
        measures = bool(self._memory) and self._looks % LOOKS_TO_MEASURE == 0
        if len(below) > self._most or measures:
            self._look_closely()

    def _everything(self) -> list[int]:
        """Return the descendants of the run, including dead ones: to omit those would cost more."""
        found, waiting = [], [self._run]
        while waiting:
            below = child_processes.children_of(waiting.pop())
            found += below
            waiting += below
        return [one for one in found if one != os.getpid()]

    def _look_closely(self) -> None:
        executing, _verdict, server = LAYOUT.unpack_from(self._page)
        spared = {os.getpid(), executing, server}
        for unit in child_processes.children_of(self._run):
            if unit in spared:
                continue
            kind = self._kind_of(unit)
            if kind:
                spared.add(unit)
            if kind == _VERIFYING:
                self._look_at_unit(unit)
        self._look_at_calls(spared, executing)

    def _look_at_calls(self, spared: Collection[int], executing: int) -> None:
        present = list(self._below(self._run, spared))
        excess = 0
        if len(present) > self._most:
            excess = TOO_MANY
        elif present and self._memory and memory_of(present, self._memory) > self._memory:
            excess = TOO_LARGE
        if not excess:
            return
        if executing:
            _VERDICT.pack_into(self._page, _AT_VERDICT, excess)
            if catches_alarm(executing):
                with suppress(OSError):
                    os.kill(executing, signal.SIGALRM)
        child_processes.end_processes(lambda: self._below(self._run, spared))

    def _look_at_unit(self, unit: int) -> None:
        present = child_processes.descendants_of(unit)
        if len(present) > self._most or (
            present and self._memory and memory_of(present, self._memory) > self._memory
        ):
            child_processes.end_processes(
                lambda: [one for one in (unit, *child_processes.descendants_of(unit)) if one]
            )

    def _below(self, process: int, spared: Collection[int]) -> Iterator[int]:
        """Yield what descends from a process and runs, `spared` ones excepted but not theirs."""
        for one in child_processes.children_of(process):
            if one in self._units(spared):
                continue
            if one not in spared and child_processes.is_running(one):
                yield one
            yield from self._below(one, spared)

    def _units(self, spared: Collection[int]) -> Collection[int]:
        return {one for one in spared if self._kinds.get(one)} | {os.getpid()}

    def _kind_of(self, process: int) -> bytes:
        """Say whether a child of the run is a verifying pytest, or another search."""
        if process not in self._kinds:
            variables = self._variables_of(process)
            kind = next((one for one in self._markers if one in variables), b"")
            if not kind:
                return kind  # it may be about to become another program
            self._kinds[process] = kind
        return self._kinds[process]

    @staticmethod
    def _variables_of(process: int) -> bytes:
        with suppress(OSError):
            return Path(f"/proc/{process}/environ").read_bytes()
        return b""

    def end_known(self) -> None:
        """End the processes that existed together with the run."""
        known = [one for one, began in self._known.items() if began and start_time_of(one) == began]
        child_processes.end_processes(
            lambda: [o for one in known for o in (one, *child_processes.descendants_of(one))]
        )


def start_time_of(process: int) -> str:
    """Return the start time of a process, empty when it is gone: process numbers are reused."""
    with suppress(OSError, IndexError):
        stat = child_processes.text_of(f"/proc/{process}/stat")
        return stat.rpartition(")")[2].split()[19]
    return ""


def catches_alarm(process: int) -> bool:
    """Say whether a process survives an alarm."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (signal.SIGALRM - 1) & 1)
    return False


def memory_of(processes: Collection[int], enough: float) -> float:
    """Return the bytes of memory of some processes.

    Forks share most of their memory. A cheap sum counts shared pages for each process. Only where
    it exceeds `enough`, each page is divided among its users.
    """
    size = os.sysconf("SC_PAGE_SIZE")
    own = 0
    for one in processes:
        with suppress(OSError, ValueError, IndexError):
            columns = child_processes.text_of(f"/proc/{one}/statm").split()
            own += (int(columns[1]) - int(columns[2])) * size
    return own if own <= enough else sum(map(_share_of, processes))


def _share_of(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def available_memory() -> float:
    """Return the free bytes of this machine or container."""
    found = [float("inf")]
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
        free = [line for line in lines if line.startswith("MemAvailable:")]
        found += [int(line.split()[1]) * 1024.0 for line in free]
    for path in _CGROUP_LIMITS:
        with suppress(OSError, ValueError):
            found.append(float(Path(path).read_text(encoding="utf-8")))
    return min(found)


def main(run: str, page: str, most: str, share: str) -> None:
    """Watch until the run is gone."""
    with suppress(OSError):  # only a run of an administrator may
        os.setpriority(os.PRIO_PROCESS, 0, HIGH_PRIORITY)
        _PRIORITY_OF_SESSION.write_text(str(HIGH_PRIORITY), encoding="utf-8")
    memory = float(share) * available_memory()
    with mmap.mmap(int(page), mmap.PAGESIZE) as shared:
        warden = Warden(int(run), shared, int(most), memory if memory < float("inf") else 0.0)
        hangs = HangWatch(int(run), shared)
        shared[AT_READY] = 1
        # The run has started this process.  The system changes the parent when the run ends.
        while os.getppid() == int(run):
            warden.look()
            hangs.look()
            time.sleep(GLANCE_SECONDS)
        warden.end_known()
