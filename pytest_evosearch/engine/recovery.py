"""What a run leaves behind when its process dies, so that the next run can go on from there.

    kept         what a dead run has left is read, and removed at the end of the block
    note_call    writes the name of the running call into a file that is mapped into memory,
                 which costs less than a microsecond
    keep         now and then, and at the end of the search: the tests of the archive
    postpone     tests that a run has found, and for which its time was too short
    take_up      these, and the tests of a dead run, one after the other; what the next run has no
                 time for is kept for the one after it

A crash in C, a kernel without free memory, ``kill -9`` and a second Ctrl-C leave no time to write
tests.

After a crash the next run executes the kept tests, each in its own process.  The call that crashed
does so again there, and is reported as a fault.  A crash is a signal that a call can cause, which
Python's fault handler notes in its own file.  After a run that was killed from outside, no call is
blamed, and the next run continues from its tests.

All files are in the folder of the reports.  Of two runs at once, the first one has them (a lock
that ends with its process), and the second one keeps nothing.
"""

from __future__ import annotations

import mmap
import pickle
import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from functools import cache
from pathlib import Path

from pytest_evosearch import __version__
from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import faulthandler
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.scratch import is_locked_here
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.sut.sandbox.fresh_start import REASON

KEEP_SECONDS = 5.0
"""Seconds between two times at which the archive is saved."""

KEEP_SHARE = 0.01
"""Share of the time for saving, at most: a large archive takes a tenth of a second."""

LONGEST_NAME = 256
"""Bytes of an endpoint's name that are kept."""

_TESTS = "unfinished.pickle"
_CALL = "unfinished.call"
_CRASH = "unfinished.crash"
_ENDS = "Ctrl-C twice, kill -9, no memory left"
_FRAME = re.compile(r'File "(.+)", line (\d+) in ')
_NO_CALL = b"\0" * LONGEST_NAME


class Journal:
    """Saves the archive of one run for a later run."""

    def __init__(
        self,
        folder: Path,
        root: Path,
        application: str,
        archive: Archive[Individual],
        takes_up: bool = True,
    ) -> None:
        """Keep files in `folder`.

        Without `takes_up`, tests that were postponed stay so: a budget of evaluations gives the
        same tests each time.
        """
        self._takes_up = takes_up
        self._folder = folder
        self._root = root
        """Root folder of the project, for the places in messages."""
        self._archive = archive
        self._mark = (__version__, application)
        """Version and application: tests of other ones are not used."""
        self.unfinished: Sequence[Individual] = ()
        """The tests to take up, as far as their endpoints still exist."""
        self._waiting: dict[Individual, None] = {}
        """Those tests of earlier runs that this run has not executed."""
        self._postponed: Sequence[Individual] = ()
        self._has_died = False
        """Whether the earlier run has died, or has started this one anew."""
        self.death = ""
        """How the earlier run died; empty when none died, or when this run is its new start."""
        self.guilty = ""
        """The endpoint that was called at the crash; empty when no call caused it."""
        self.crash = ""
        """Signal and place of the crash; empty where there was none."""
        self.hung: Sequence[str] = ()
        """The endpoint that did not return from C, so that this run had to start again."""
        self._memory: mmap.mmap | None = None
        self._names: dict[str, bytes] = {}
        self._due = 0.0
        self._kept = -1
        """Number of covered targets when the archive was last saved."""

    @contextmanager
    def kept(self, endpoints: Iterable[str]) -> Iterator[None]:
        """Read what a dead run left.

        Inside the block, files are kept for the case that this process dies.
        """
        self._due = monotonic() + KEEP_SECONDS
        self._has_died = os.path.exists(self._folder / _CALL)
        with suppress(OSError, ValueError):
            self._memory = self._mapped()
        if self._memory is not None:
            self._waiting = self._known_tests(frozenset(endpoints))
            if self._has_died:
                self._recover(self._memory[:].rstrip(b"\0"))
            if self._has_died or self._takes_up:
                self.unfinished = tuple(self._waiting)
            self._memory[:] = _NO_CALL
        try:
            yield
        except StopAtOnce:
            self.keep()
            self._close()
            raise
        except BaseException:
            self._end()
            raise
        else:
            self._end()

    def take_up(self, is_enough: Callable[[], bool] = lambda: False) -> Iterator[Individual]:
        """Yield the tests of earlier runs; one counts as executed when the next one is wanted.

        Of tests that were postponed no more are yielded when `is_enough` says so.
        """
        for individual in self.unfinished:
            yield individual
            self._waiting.pop(individual, None)
            if not self._has_died and is_enough():
                return

    def postpone(self, individuals: Sequence[Individual]) -> None:
        """Keep tests for the next run."""
        self._postponed = individuals

    @contextmanager
    def crashes_noted(self) -> Iterator[None]:
        """Note, inside the block, by which signal this process dies, and where."""
        if self._memory is None:
            yield
            return
        with _noted_crashes(self._folder / _CRASH):
            yield

    def _mapped(self) -> mmap.mmap | None:
        """Map the file of the calls; None when it belongs to a run that is still alive."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self._folder / _CALL, os.O_RDWR | os.O_CREAT, 0o600)
        if not is_locked_here(file):
            os.close(file)
            return None
        os.ftruncate(file, LONGEST_NAME)
        return mmap.mmap(file, LONGEST_NAME)

    def _known_tests(self, endpoints: frozenset[str]) -> dict[Individual, None]:
        """Return the kept tests whose endpoints still exist."""
        known = lambda one: endpoints.issuperset(call.endpoint for call in one)  # noqa: E731
        return dict.fromkeys(filter(known, self._individuals()))

    def _recover(self, call: bytes) -> None:
        name, crash = call.decode("utf-8", "replace"), _crash(self._folder / _CRASH, self._root)
        if crash == REASON and name:
            self.hung = (name,)
        elif crash and name:
            self.guilty, self.crash = name, crash
            self.death = f"the run before this one died when {name} was called ({crash})"
        elif crash:
            self.death = f"the run before this one died between two calls ({crash})"
        else:
            self.death = f"the run before this one was ended from outside ({_ENDS})"

    @property
    def note(self) -> Path | None:
        """Return the file for crashes; None when nothing is kept."""
        return None if self._memory is None else self._folder / _CRASH

    def note_call(self, endpoint: str) -> None:
        """Write the name of the running call; an empty one at its end."""
        if self._memory is not None:
            name = self._names.get(endpoint)
            if name is None:
                encoded = endpoint.encode("utf-8", "replace")[:LONGEST_NAME]
                name = self._names[endpoint] = encoded.ljust(LONGEST_NAME, b"\0")
            self._memory[:] = name

    def keep_now_and_then(self) -> None:
        """Save the tests of the archive when it is time, and something was covered."""
        if monotonic() >= self._due and len(self._archive.covered) != self._kept:
            self.keep()

    def keep(self) -> None:
        """Save the tests of the archive."""
        if self._memory is None:
            return
        started = monotonic()
        tests = {id(entry.individual): entry.individual for entry in self._archive.covered.values()}
        self._write([*tests.values(), *self._waiting])
        now = monotonic()
        self._kept = len(self._archive.covered)
        self._due = now + max(KEEP_SECONDS, (now - started) / KEEP_SHARE)

    def _write(self, tests: Sequence[Individual]) -> None:
        # Genes may hold an object of the application (the class of a choice): such a test is not
        # saved.
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
            content = pickle.dumps((self._mark, list(tests)))
            replace_content(self._folder / _TESTS, content)

    def _end(self) -> None:
        """Remove the files, as the run has ended, but for tests that wait for the next one."""
        if not self._close():
            return
        for name in (_TESTS, _CRASH, _CALL):
            with suppress(OSError):
                os.unlink(self._folder / name)
        if rest := {**self._waiting, **dict.fromkeys(self._postponed)}:
            self._write(list(rest))

    def _close(self) -> bool:
        """Keep nothing any more; say whether files were kept until now."""
        if self._memory is None:
            return False
        self._memory.close()
        self._memory = None
        return True

    def _individuals(self) -> Sequence[Individual]:
        # An incomplete file, or a file of other code, may raise anything.
        with suppress(Exception):
            mark, individuals = pickle.loads((self._folder / _TESTS).read_bytes())
            if mark == self._mark:
                return list(individuals)
        return ()


def last_call(folder: Path) -> str:
    """Return the endpoint that was called when the process died whose files are in `folder`."""
    with suppress(OSError):
        return (folder / _CALL).read_bytes().rstrip(b"\0").decode("utf-8", "replace")
    return ""


@contextmanager
def _noted_crashes(path: Path) -> Iterator[None]:
    """Make the fault handler write the signal of a crash to `path`, inside the block.

    `bridge.session` restores the handler of pytest, which writes to the terminal.
    """
    with path.open("wb") as file:
        faulthandler.enable(file, all_threads=False)
        _disable_in_children()
        try:
            yield
        finally:
            faulthandler.disable()


@cache
def _disable_in_children() -> None:
    """Keep children of this process from reporting a crash of this one."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=faulthandler.disable)


def _crash(path: Path, root: Path) -> str:
    """Return what the fault handler wrote, as ``Segmentation fault at shop/pages.py:31``."""
    with suppress(OSError):
        first, *frames = path.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
        return f"{first.removeprefix('Fatal Python error: ')}{_place(frames, root)}"
    return ""


def _place(frames: Iterable[str], root: Path) -> str:
    """Return the innermost line of the project among the frames of the fault handler."""
    for frame in frames:
        found = _FRAME.search(frame)
        if found and Path(found[1]).is_relative_to(root) and "site-packages" not in found[1]:
            return f" at {Path(found[1]).relative_to(root).as_posix()}:{found[2]}"
    return ""
