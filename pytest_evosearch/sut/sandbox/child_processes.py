"""Processes that the application starts: they run normally, and end with their test.

    a child of ``fork``   our replacements of functions are undone in it (`ForkedChildren.undo`);
                          when it returns from the application, it ends at the first step of ours
                          or of pytest; otherwise it would go on as a second search, then a third
    left after a test     all new descendants of this process are stopped, then ended, so that none
                          of them can start more processes meanwhile
    stays                 earlier processes, the helpers of `multiprocessing`, the workers of a
                          pool that the application still has, and processes that read from a pipe
                          of the application, which end when it closes the pipe

On Linux this process adopts orphans, so daemons are found, too. Other systems do not list
descendants; there, only children that return from the application, and those of `multiprocessing`,
are ended.

This file imports nothing from pytest-evosearch. Verification runs load a copy of it as a plugin,
which ends the processes that a test leaves, and reports the test as failed.

    EVOSEARCH_VERIFY_LOG   file to which one JSON object per line is appended
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import stat
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from contextlib import suppress
from types import FrameType
from typing import Any

OURS = ("pytest_evosearch", "_pytest", "pluggy", "pytest", "evosearch_apart")
"""Packages whose code no child of the application may return to."""

CLIENTS = frozenset(("werkzeug.test", "flask.testing"))
"""Modules that send requests: their caller is not the application."""

STAND_INS = "pytest_evosearch.sut.sandbox.process_ends"
"""The module through which applications call the system."""

GRACE_SECONDS = 0.5
"""Seconds for processes to finish something."""

ENDING_SECONDS = 2.0
"""Seconds for the system to remove ended processes."""

MOST_PROCESSES = 64
"""Most processes of the application at once."""

_LAYOUT = struct.Struct("=qqqd")
"""Layout of the shared page.

It says whether a child has returned, how many have begun, how many exist, and when they were
counted.
"""

_REFUSED = struct.Struct("=q")
"""The value after that: whether another process was refused."""

_COUNTED_FOR_SECONDS = 0.05

SEARCHING_BESIDE = "EVOSEARCH_ISLAND="
"""Environment of a process that is another search."""

SERVER_FOLDER = "/evosearch-server-"
"""Part of the working directory of a process that is a throw-away server of ours."""

_OWN_FILES = "/proc/self/fd"
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_GLANCE_SECONDS = 0.005
_MOST_ROUNDS = 200

# The application may replace these functions.
_open, _read, _write, _close = os.open, os.read, os.write, os.close
_listdir, _readlink, _lstat = os.listdir, os.readlink, os.lstat
_getpid, _waitpid, _kill, _exit = os.getpid, os.waitpid, os.kill, os._exit
_sleep, _monotonic = time.sleep, time.monotonic


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, where the system supports this."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def children_of(process: int) -> list[int]:
    """Return the children of a process, including dead ones; none where the system lists none."""
    folder, found = f"/proc/{process}/task", []
    with suppress(OSError, ValueError):
        for task in _listdir(folder):
            found += [int(one) for one in text_of(f"{folder}/{task}/children").split()]
    return found


def descendants_of(process: int, spared: Collection[int] = ()) -> list[int]:
    """Return the running descendants of a process, without `spared` ones and their children."""
    found: list[int] = []
    waiting = [process]
    while waiting:
        below = [one for one in children_of(waiting.pop()) if one not in spared]
        waiting += below
        found += below
    return [one for one in found if is_running(one)]


def is_running(process: int) -> bool:
    """Say whether a process is running, not just a zombie."""
    with suppress(OSError, IndexError):
        # The name of the program, in parentheses, may contain any character.
        return text_of(f"/proc/{process}/stat").rpartition(")")[2].split()[0] not in "ZX"
    return False


def is_of_a_run(process: int) -> bool:
    """Say whether a process is another search, beside or below this one."""
    with suppress(OSError):
        return SEARCHING_BESIDE in text_of(f"/proc/{process}/environ")
    return False


def is_throw_away_server(process: int) -> bool:
    """Say whether a process is a server of ours, which a call's first connection may start."""
    with suppress(OSError):
        return SERVER_FOLDER in _readlink(f"/proc/{process}/cwd")
    return False


def _is_needed(process: int) -> bool:
    """Say whether later calls may need a process, which ends with this one."""
    return is_throw_away_server(process) or reads_from_this_process(process)


def reads_from_this_process(process: int) -> bool:
    """Say whether the input of a process is a pipe into which this process can write.

    An application keeps such a process for its later calls (as GitPython does).  Without it they
    would fail.  The process ends by itself when the pipe is closed.
    """
    with suppress(OSError):
        pipe = _readlink(f"/proc/{process}/fd/0")
        return pipe.startswith("pipe:") and any(map(_writes_into(pipe), _listdir(_OWN_FILES)))
    return False


def _writes_into(pipe: str) -> Callable[[str], bool]:
    """Return a function that says whether an open file of this process is the end for writing."""

    def writes(number: str) -> bool:
        path = f"{_OWN_FILES}/{number}"
        with suppress(OSError):
            return _readlink(path) == pipe and bool(_lstat(path).st_mode & stat.S_IWUSR)
        return False

    return writes


def end_processes(present: Callable[[], Iterable[int]]) -> int:
    """End all `present` processes, again and again until none is left; return their number."""
    ended: set[int] = set()
    for number in (signal.SIGSTOP, signal.SIGKILL):
        seen: set[int] = set()
        for _ in range(_MOST_ROUNDS):
            before = len(seen)
            for one in present():  # each as soon as it is found
                if one not in seen:
                    seen.add(one)
                    with suppress(OSError):
                        _kill(one, number)
            if len(seen) == before:
                break
        ended |= seen
    return len(ended)


def end_descendants(spared: Collection[int] = ()) -> int:
    """End all descendants of this process, and collect their exit codes; return their number."""
    count = end_processes(lambda: descendants_of(_getpid(), spared))
    end = _monotonic() + ENDING_SECONDS
    while count and descendants_of(_getpid(), spared) and _monotonic() < end:
        _sleep(_GLANCE_SECONDS)
    _let_libraries_look()
    _take_exit_codes(spared)
    return count


def _take_exit_codes(spared: Collection[int]) -> None:
    for one in children_of(_getpid()):
        if one not in spared and not is_running(one):
            with suppress(OSError):
                _waitpid(one, os.WNOHANG)


def _let_libraries_look() -> None:
    """Let `subprocess` and `multiprocessing` collect the exit codes of their children."""
    subprocess, process = sys.modules.get("subprocess"), sys.modules.get("multiprocessing.process")
    with suppress(Exception):
        if subprocess is not None:
            subprocess._cleanup()
        if process is not None:
            process.active_children()


def helpers_of_libraries() -> set[int]:
    """Return helper processes of `multiprocessing`, which end with this process."""
    places = (
        ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
        ("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
    )
    found = (
        getattr(getattr(sys.modules.get(module), name, None), attribute, None)
        for module, name, attribute in places
    )
    return {one for one in found if isinstance(one, int)}


def pool_workers(idle: bool = False) -> set[int]:
    """Return the workers of pools, or of those without work.

    A pool that loses a worker is broken for good, or waits for a lock of the worker. When restored
    state no longer contains the pool, its idle workers end by themselves.
    """
    found: set[int] = set()
    for thread in threading.enumerate():
        with suppress(Exception):  # these attributes are private
            if type(thread).__name__ == "_ExecutorManagerThread":
                manager: Any = thread
                is_kept = manager.executor_reference() is not None and not idle
                if is_kept or not manager.pending_work_items:
                    found.update(manager.processes)
            target: Any = getattr(thread, "_target", None)
            if getattr(target, "__qualname__", "") == "Pool._handle_workers":
                arguments: Any = vars(thread)["_args"]
                if not (idle and arguments[0]):
                    workers = next(one for one in arguments if isinstance(one, list))
                    found.update(worker.pid for worker in workers)
    return found


class StartedProcesses:
    """Descendants of this process that the application has started."""

    def __init__(self) -> None:
        self._spared: set[int] = set()
        self._process = 0
        self._unsuspected: list[int] = []
        """The children of the last look, which must be spared."""

    def begin(self) -> None:
        """Adopt orphans from now on, and spare existing processes."""
        adopt_orphans()
        self._process = _getpid()
        self._spared = set(descendants_of(self._process))

    def spare(self, process: int) -> None:
        """Never end this process, which is our own."""
        self._spared.add(process)

    def are_any(self) -> bool:
        """Say quickly whether there may be a process to end."""
        if not self._process:
            return False
        present = children_of(_getpid())
        if present == self._unsuspected:
            return False
        spared = self._own_spared()
        if all(one in spared for one in present):
            self._unsuspected = present
            return False
        helpers = helpers_of_libraries()
        spared = spared | pool_workers() | helpers
        below = [one for helper in helpers for one in children_of(helper)]
        return bool(below) or any(one not in spared for one in children_of(_getpid()))

    def left(self, grace: float = GRACE_SECONDS) -> list[int]:
        """Return processes that go on after the grace period."""
        end = _monotonic() + grace
        while True:
            _let_libraries_look()
            found = self._present()
            if not found or _monotonic() > end:
                return found
            _sleep(_GLANCE_SECONDS)

    def end(self) -> int:
        """End the remaining processes, and return their number without workers of pools."""
        self.end_pools()
        kept = self._kept_workers()
        helpers = helpers_of_libraries()
        below_helpers = {one for helper in helpers for one in descendants_of(helper)}
        count = end_processes(lambda: below_helpers & {o for o in below_helpers if is_running(o)})
        return count + end_descendants(self._own_spared() | kept | helpers)

    def end_pools(self) -> None:
        """End workers of pools in a fork of ours, whose pools end with the fork."""
        if self._process and self._is_elsewhere():
            workers = pool_workers()
            end_processes(lambda: filter(is_running, workers))

    def _present(self) -> list[int]:
        helpers = helpers_of_libraries()
        spared = self._own_spared() | pool_workers(idle=True) | helpers
        below = [one for helper in helpers for one in descendants_of(helper)]
        return [*descendants_of(_getpid(), spared), *below]

    def _kept_workers(self) -> set[int]:
        return set() if self._is_elsewhere() else pool_workers()

    def _is_elsewhere(self) -> bool:
        """Say whether this is a fork of ours, which ends with its test."""
        return _getpid() != self._process

    def _own_spared(self) -> set[int]:
        if self._is_elsewhere():  # both end with the fork that started them
            return set(filter(_is_needed, children_of(_getpid())))
        unknown = [one for one in children_of(self._process) if one not in self._spared]
        self._spared.update(filter(_is_needed, unknown))
        if unknown and not is_of_a_run(self._process):  # an island starts no further islands
            self._spared.update(filter(is_of_a_run, unknown))
        return self._spared


class ForkedChildren:
    """Lets children of the application run normally until they return to our code."""

    def __init__(self, ours: Collection[str] = OURS) -> None:
        self._ours = frozenset(ours)
        self._active = self._registered = False
        self._undo: list[Callable[[], object]] = []
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        """A page shared with all children."""
        self.forked_at: dict[str, None] = {}
        """Places in the application that have forked this process since `begin`."""
        self._there_before: set[int] = set()
        self.most = MOST_PROCESSES
        """Most descendants; 0 for no limit."""
        self._root = 0
        self._is_child = False

    def install(self) -> None:
        """Watch every fork of this process from now on, and adopt orphans."""
        adopt_orphans()
        self._active = True
        self._root = _getpid()
        self._there_before = set(children_of(_getpid()))
        if not self._registered and hasattr(os, "register_at_fork"):
            self._registered = True
            mine = weakref.ref(self)

            def before() -> None:
                if (children := mine()) is not None and children.is_to_be_reported:
                    children._note(sys._getframe(1))

            def in_child() -> None:
                if (children := mine()) is not None and children._active:
                    children.become_child(sys._getframe(1))

            os.register_at_fork(before=before, after_in_child=in_child)

    def remove(self) -> None:
        """Stop watching."""
        self._active = False
        self._undo.clear()

    @property
    def is_to_be_reported(self) -> bool:
        """Say whether forks of this process must be reported."""
        return self._active and not self._is_child

    def forget(self) -> None:
        """Forget the functions to call in a child: it has called them."""
        self._undo.clear()

    def undo(self, taken_back: Callable[[], object]) -> None:
        """Call `taken_back` in every child of the application; the last one added comes first."""
        self._undo.append(taken_back)

    def begin(self) -> None:
        """Forget returned children so far."""
        _LAYOUT.pack_into(self._page, 0, 0, 0, 0, 0.0)
        _REFUSED.pack_into(self._page, _LAYOUT.size, 0)
        self.forked_at.clear()

    @property
    def has_refused(self) -> bool:
        """Say whether another process was refused since `begin`."""
        return bool(_REFUSED.unpack_from(self._page, _LAYOUT.size)[0])

    @property
    def came_back(self) -> bool:
        """Say whether a child has returned from the application since `begin`."""
        return bool(_LAYOUT.unpack_from(self._page)[0])

    def end_all(self) -> None:
        """End everything started since `install`, except other searches."""
        beside = {one for one in children_of(_getpid()) if is_of_a_run(one)}
        end_descendants(self._there_before | beside)

    def become_child(self, frame: FrameType | None) -> None:
        """Make the present process a child of the application; `frame` has forked it."""
        if not self._is_child and frame is not None and self._is_ours(frame):
            return
        if self._is_child:
            return
        self._is_child = True
        for taken_back in reversed(self._undo):
            with suppress(BaseException):
                taken_back()
        while frame is not None and not self._is_ours(frame):
            frame = frame.f_back
        if frame is not None:
            self._end_when_reached(frame)

    def end_here(self) -> None:
        """End this process, which has returned from the application."""
        _back, *others = _LAYOUT.unpack_from(self._page)
        _LAYOUT.pack_into(self._page, 0, 1, *others)
        _exit(0)

    def refuses(self) -> bool:
        """Say whether the most processes are running; otherwise count one more.

        All processes count on one page, where two at once may count as one. Only a high count is
        checked against the real number, by one of the processes.
        """
        back, forked, present, counted = _LAYOUT.unpack_from(self._page)
        is_known = not self.most or forked < self.most
        if not is_known and _monotonic() > counted + _COUNTED_FOR_SECONDS:
            counted = _monotonic()
            _LAYOUT.pack_into(self._page, 0, back, forked, present, counted)
            present = len(descendants_of(self._root))
        refused = not is_known and present >= self.most
        _LAYOUT.pack_into(self._page, 0, back, forked + 1, present + 1, counted)
        if refused:
            _REFUSED.pack_into(self._page, _LAYOUT.size, 1)
        return refused

    def _end_when_reached(self, ours: FrameType) -> None:
        """End this process when `ours` continues: at a line, a call, or an exception in it."""

        def end(_frame: FrameType, _event: str, _argument: object) -> None:
            self.end_here()

        def look(frame: FrameType, _event: str, _argument: object) -> None:
            if frame.f_back is ours:
                self.end_here()

        ours.f_trace = end
        sys.settrace(look)

    def _note(self, frame: FrameType | None) -> None:
        while not self.forked_at and frame is not None and not self._is_ours(frame):
            path = frame.f_code.co_filename
            if (
                not path.startswith(("<", sys.base_prefix))
                and "-packages" not in path
                and (frame.f_globals.get("__name__") != STAND_INS)
            ):
                self.forked_at[f"{path}:{frame.f_lineno}"] = None
                return
            frame = frame.f_back

    def _is_ours(self, frame: FrameType) -> bool:
        name = str(frame.f_globals.get("__name__", ""))
        if name == STAND_INS:
            return False  # the application forks through these
        return name.partition(".")[0] in self._ours or name in CLIENTS


def text_of(path: str) -> str:
    """Return the first 64 kB of a file: four times as fast as a path that reads."""
    file = _open(path, os.O_RDONLY)
    try:
        return _read(file, 1 << 16).decode("utf-8", "replace")
    finally:
        _close(file)


class Verification:
    """The hooks of a verification run."""

    def __init__(self, log: str) -> None:
        self._log = log
        self._children = ForkedChildren()
        self._started = StartedProcesses()
        self._called = False

    def pytest_runtest_call(self) -> None:
        """Spare processes that fixtures have started: fixtures end them."""
        self._called = True
        self._children.install()
        self._children.begin()
        self._started.begin()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """End processes that the test itself has started, and report the test."""
        if not self._called:
            return
        self._called = False
        left = self._started.are_any() and self._started.left()
        if left:
            self._blame(nodeid, "it leaves a process running")
        elif self._children.came_back:
            self._blame(nodeid, "it forks a process that returns from the handler")
        self._started.end()
        self._children.remove()

    def _blame(self, test: str, reason: str) -> None:
        entry = {"report": test, "outcome": "failed", "reason": reason}
        file = _open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        _write(file, json.dumps(entry).encode() + b"\n")
        _close(file)


def pytest_configure(config: Any) -> None:
    """Watch the tests of a run with a log."""
    log = os.environ.get("EVOSEARCH_VERIFY_LOG")
    if log:
        config.pluginmanager.register(Verification(log), "evosearch-child-processes")
