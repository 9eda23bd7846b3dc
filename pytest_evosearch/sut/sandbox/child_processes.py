"""Processes that the application starts: each is a process like any other, and ends with its test.

    a child of ``fork``   what stands in for functions is taken back in it (`ForkedChildren.undo`);
                          when it comes back from the application it ends, at the first step of
                          ours or of pytest: it would go on as a second search, then as a third
    left after a test     whatever descends from this process and was not there before is stopped,
                          then ended, so that nothing can start more of its kind meanwhile
    stays                 what was there before, the helpers of `multiprocessing`, and workers of
                          a pool that have nothing to do

On Linux this process adopts what loses its parent, so that daemons are found, too.  Elsewhere
nothing tells of descendants; there children that come back end, and those of `multiprocessing`.

This file imports nothing of pytest-evosearch: verification runs load a copy of it as a plugin, which
ends what a test leaves, and says of the test that it failed.

    EVOSEARCH_VERIFY_LOG   file to which one JSON object per line is appended
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
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
"""Packages to which no child of the application comes back."""

CLIENTS = frozenset(("werkzeug.test", "flask.testing"))
"""Modules that send requests: what calls them is no application."""

GRACE_SECONDS = 0.5
"""For processes that only have something left to finish."""

ENDING_SECONDS = 2.0
"""In which the system takes away what was ended."""

_SEARCHING_BESIDE = "EVOSEARCH_ISLAND="
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_GLANCE_SECONDS = 0.005
_MOST_ROUNDS = 200

# The application may replace them.
_open, _read, _write, _close = os.open, os.read, os.write, os.close
_listdir = os.listdir
_getpid, _waitpid, _kill, _exit = os.getpid, os.waitpid, os.kill, os._exit
_sleep, _monotonic = time.sleep, time.monotonic


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own, where the system can do that."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def children_of(process: int) -> list[int]:
    """Return the children of a process, also dead ones; none where the system does not tell."""
    folder, found = f"/proc/{process}/task", []
    with suppress(OSError, ValueError):
        for task in _listdir(folder):
            found += [int(one) for one in _text(f"{folder}/{task}/children").split()]
    return found


def descendants_of(process: int, spared: Collection[int] = ()) -> list[int]:
    """Return what descends from a process and runs; not `spared` ones, nor what these start."""
    found: list[int] = []
    waiting = [process]
    while waiting:
        below = [one for one in children_of(waiting.pop()) if one not in spared]
        waiting += below
        found += below
    return [one for one in found if is_running(one)]


def is_running(process: int) -> bool:
    """Say whether a process is there, and not only its exit code."""
    with suppress(OSError, IndexError):
        # The name of the program, in parentheses, may contain anything.
        return _text(f"/proc/{process}/stat").rpartition(")")[2].split()[0] not in "ZX"
    return False


def is_of_a_run(process: int) -> bool:
    """Say whether a process is another search, beside or below which this one takes place."""
    with suppress(OSError):
        return _SEARCHING_BESIDE in _text(f"/proc/{process}/environ")
    return False


def end_processes(present: Callable[[], Iterable[int]]) -> int:
    """End all that are `present`, time and again until there are no others; say how many."""
    ended: set[int] = set()
    for number in (signal.SIGSTOP, signal.SIGKILL):
        seen: set[int] = set()
        for _ in range(_MOST_ROUNDS):
            fresh = set(present()) - seen
            if not fresh:
                break
            seen |= fresh
            for one in fresh:
                with suppress(OSError):
                    _kill(one, number)
        ended |= seen
    return len(ended)


def end_descendants(spared: Collection[int] = ()) -> int:
    """End all that descends from this process, and take their exit codes; say how many."""
    count = end_processes(lambda: descendants_of(_getpid(), spared))
    end = _monotonic() + ENDING_SECONDS
    while True:
        _let_libraries_look()
        _take_exit_codes(spared)
        if not count or not descendants_of(_getpid(), spared) or _monotonic() > end:
            return count
        _sleep(_GLANCE_SECONDS)


def _take_exit_codes(spared: Collection[int]) -> None:
    for one in children_of(_getpid()):
        if one not in spared and not is_running(one):
            with suppress(OSError):
                _waitpid(one, os.WNOHANG)


def _let_libraries_look() -> None:
    """Let `subprocess` and `multiprocessing` take the exit codes of what is theirs."""
    subprocess, process = sys.modules.get("subprocess"), sys.modules.get("multiprocessing.process")
    with suppress(Exception):
        if subprocess is not None:
            subprocess._cleanup()
        if process is not None:
            process.active_children()


def helpers_of_libraries() -> set[int]:
    """Return the processes that `multiprocessing` keeps for itself: they end with this one."""
    places = (
        ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
        ("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
    )
    found = (
        getattr(getattr(sys.modules.get(module), name, None), attribute, None)
        for module, name, attribute in places
    )
    return {one for one in found if isinstance(one, int)}


def idle_workers() -> set[int]:
    """Return the workers of pools without work: a pool that loses them is broken for good."""
    found: set[int] = set()
    for thread in threading.enumerate():
        with suppress(Exception):  # attributes that are no public ones
            if type(thread).__name__ == "_ExecutorManagerThread":
                manager: Any = thread
                if not manager.pending_work_items and manager.executor_reference() is not None:
                    found.update(manager.processes)
            target: Any = getattr(thread, "_target", None)
            if getattr(target, "__qualname__", "") == "Pool._handle_workers":
                arguments: Any = vars(thread)["_args"]
                if not arguments[0]:
                    workers = next(one for one in arguments if isinstance(one, list))
                    found.update(worker.pid for worker in workers)
    return found


class StartedProcesses:
    """What descends from this process because the application has started it."""

    def __init__(self) -> None:
        self._spared: set[int] = set()
        self._process = 0

    def begin(self) -> None:
        """Adopt orphans from now on, and spare what is there."""
        adopt_orphans()
        self._process = _getpid()
        self._spared = set(descendants_of(self._process))

    def spare(self, process: int) -> None:
        """Let a process of our own live."""
        self._spared.add(process)

    def are_any(self) -> bool:
        """Say, at little cost, whether there may be something to end."""
        return any(one not in self._own_spared() for one in children_of(_getpid()))

    def left(self, grace: float = GRACE_SECONDS) -> list[int]:
        """Return those that go on after some grace; a process may only have something to finish."""
        end = _monotonic() + grace
        while True:
            _let_libraries_look()
            found = self._present()
            if not found or _monotonic() > end:
                return found
            _sleep(_GLANCE_SECONDS)

    def end(self) -> int:
        """End what is left, and say how many those were."""
        kept = set() if self._is_elsewhere() else idle_workers()
        helpers = helpers_of_libraries()
        below_helpers = {one for helper in helpers for one in descendants_of(helper)}
        count = end_processes(lambda: below_helpers & {o for o in below_helpers if is_running(o)})
        return count + end_descendants(self._own_spared() | kept | helpers)

    def _present(self) -> list[int]:
        helpers = helpers_of_libraries()
        spared = self._own_spared() | idle_workers() | helpers
        below = [one for helper in helpers for one in descendants_of(helper)]
        return [*descendants_of(_getpid(), spared), *below]

    def _is_elsewhere(self) -> bool:
        """Say whether this is a fork of ours, which ends with its test."""
        return _getpid() != self._process

    def _own_spared(self) -> set[int]:
        return set() if self._is_elsewhere() else self._spared


class ForkedChildren:
    """Lets children of the application's be processes like any others, until they come back."""

    def __init__(self, ours: Collection[str] = OURS) -> None:
        self._ours = frozenset(ours)
        self._active = self._registered = False
        self._undo: list[Callable[[], object]] = []
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        """Shared with all children."""
        self.forked_at: dict[str, None] = {}
        """Places of the application that have forked this process since `begin`."""
        self._there_before: set[int] = set()

    def install(self) -> None:
        """Look at every fork of this process from now on, and adopt orphans."""
        adopt_orphans()
        self._active = True
        self._there_before = set(children_of(_getpid()))
        if not self._registered and hasattr(os, "register_at_fork"):
            self._registered = True
            mine = weakref.ref(self)

            def before() -> None:
                if (children := mine()) is not None and children._active:
                    children._note(sys._getframe(1))

            def in_child() -> None:
                if (children := mine()) is not None and children._active:
                    children.become_child(sys._getframe(1))

            os.register_at_fork(before=before, after_in_child=in_child)

    def remove(self) -> None:
        """Look at nothing any more."""
        self._active = False
        self._undo.clear()

    def forget(self) -> None:
        """Forget what was to be taken back: it is."""
        self._undo.clear()

    def undo(self, taken_back: Callable[[], object]) -> None:
        """Call `taken_back` in every child of the application, the last one first."""
        self._undo.append(taken_back)

    def begin(self) -> None:
        """Forget what came back so far."""
        self._page[0] = 0
        self.forked_at.clear()

    @property
    def came_back(self) -> bool:
        """Say whether a child has come back from the application since `begin`."""
        return self._page[0] != 0

    def end_all(self) -> None:
        """End what has been started since `install`, other searches excepted."""
        beside = {one for one in children_of(_getpid()) if is_of_a_run(one)}
        end_descendants(self._there_before | beside)

    def become_child(self, frame: FrameType | None) -> None:
        """Make the present process one of the application's; `frame` has forked it."""
        if frame is not None and self._is_ours(frame):
            return
        self._active = False
        for taken_back in reversed(self._undo):
            with suppress(BaseException):
                taken_back()
        while frame is not None and not self._is_ours(frame):
            frame = frame.f_back
        if frame is not None:
            self._end_when_reached(frame)

    def end_here(self) -> None:
        """End this process, which has come back from the application."""
        self._page[0] = 1
        _exit(0)

    def _end_when_reached(self, ours: FrameType) -> None:
        """End this process as soon as `ours` goes on: by a step, a call, or an exception in it."""

        def end(_frame: FrameType, _event: str, _argument: object) -> None:
            self.end_here()

        def look(frame: FrameType, _event: str, _argument: object) -> None:
            if frame.f_back is ours:
                self.end_here()

        ours.f_trace = end
        sys.settrace(look)

    def _note(self, frame: FrameType | None) -> None:
        while frame is not None and not self._is_ours(frame):
            path = frame.f_code.co_filename
            if "-packages" not in path and not path.startswith(("<", sys.base_prefix)):
                self.forked_at[f"{path}:{frame.f_lineno}"] = None
                return
            frame = frame.f_back

    def _is_ours(self, frame: FrameType) -> bool:
        name = str(frame.f_globals.get("__name__", ""))
        return name.partition(".")[0] in self._ours or name in CLIENTS


def _text(path: str) -> str:
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
        """Spare what fixtures have started: they end it themselves."""
        self._called = True
        self._children.install()
        self._children.begin()
        self._started.begin()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """End what the test itself has started, and blame it."""
        if not self._called:
            return
        self._called = False
        left = self._started.are_any() and self._started.left()
        if left:
            self._blame(nodeid, "it leaves a process running")
        elif self._children.came_back:
            self._blame(nodeid, "it forks a process that comes back from the handler")
        self._started.end()
        self._children.remove()

    def _blame(self, test: str, reason: str) -> None:
        entry = {"report": test, "outcome": "failed", "reason": reason}
        file = _open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        _write(file, json.dumps(entry).encode() + b"\n")
        _close(file)


def pytest_configure(config: Any) -> None:
    """Look at the tests of a run that is logged."""
    log = os.environ.get("EVOSEARCH_VERIFY_LOG")
    if log:
        config.pluginmanager.register(Verification(log), "evosearch-child-processes")
