"""Restarts a run that hangs or crashes in C: in its process, with a fresh interpreter.

    FreshStart.possible   while a search runs: a handler in C waits for `SIGNAL` and for `CRASHES`
    sut.sandbox.hang      sees a call that no alarm reaches, and sends the former
    main                  what the process becomes at first: it ends its children, takes limits and
                          masks back, notes why, and becomes the command that the user gave

Python's own handlers wait for the next step of the interpreter, which never comes while a call
hangs in C. A handler of the system runs at once, but may do little. It must not run Python code,
because a pending alarm would be raised there. So it only makes prepared calls: it restores the
numbers of the terminal's streams, stops the timer, and replaces the process by `execve`.

The run leaves what a killed run leaves: its tests are kept (`engine.recovery`), and its files are
restored. The process keeps its number, its parent and its terminal, so a process that waits for it
goes on waiting.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from functools import cache
from functools import partial
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import faulthandler
from pytest_evosearch.sut.sandbox import child_processes
from pytest_evosearch.sut.sandbox.hang import SIGNAL
from pytest_evosearch.sut.sandbox.shared_resources import limit_numbers

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

REASON = "it never returned from C code"
"""Text that is noted about the call, in the file that notes crashes."""

CRASHES: Sequence[int] = (
    ()
    if sys.platform == "win32"
    else (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
)
"""Signals of crashes in C; those that `faulthandler` notes."""

LONGEST_STEP = 10
"""Seconds until a process that cannot restart dies: a crash may leave locks behind."""

STANDARD_STREAMS = (0, 1, 2)

_INSTALLED = Path(__file__).parents[3]
_HIGHEST_DESCRIPTOR = 4096

_BEGINNING = f"""
import sys
sys.path.insert(0, sys.argv[1])
from {__name__} import main
main(sys.argv[2])
"""


class FreshStart:
    """Lets one run restart."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        streams: Sequence[int],
    ) -> None:
        self._command = command
        self._folder = folder
        self._streams = streams
        """Duplicates of the original standard streams."""
        self._kept: tuple[Any, ...] = ()
        """Objects that the handler needs, and that nothing else refers to."""

    @contextmanager
    def possible(
        self, note: Path, variables: Mapping[str, str], crashes: bool = False
    ) -> Iterator[bool]:
        """Restart at the signal, or with `crashes` at one of `CRASHES`.

        `note` is the file for the reason, unless it already has one. The command gets `variables`
        in its environment, with the original environment of this process. A fault handler must be
        enabled inside the block: it notes the crash before our handler runs.
        """
        ready = sys.platform == "linux" and (threading.current_thread() is threading.main_thread())
        with suppress(AttributeError, OSError):
            if ready:
                self._install(self._plan(note, variables), CRASHES if crashes else ())
        try:
            yield bool(self._kept)
        finally:
            if self._kept:
                for number in (SIGNAL, *(CRASHES if crashes else ())):
                    self._kept[0].signal(number, None)
                self._kept = ()
            self._close()

    def _install(self, plan: str, crashes: Sequence[int]) -> None:
        library = ctypes.PyDLL(None)
        library.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        library.signal.restype = ctypes.c_void_p
        given = [sys.executable, "-I", "-S", "-c", _BEGINNING, str(_INSTALLED), plan]
        pairs = zip(self._streams, STANDARD_STREAMS, strict=True)
        steps = (
            partial(library.signal, signal.SIGALRM, None),
            partial(library.alarm, LONGEST_STEP),
            *(partial(library.dup2, *pair) for pair in pairs),
            partial(library.alarm, 0),
            partial(library.execve, os.fsencode(sys.executable), _texts(given), _texts(())),
        )
        # None of this may be Python code: a handler of Python would run in it first.
        all_of_them: partial[Any] = partial(list, map(partial.__call__, steps))
        handler = ctypes.CFUNCTYPE(None)(all_of_them)
        self._kept = (library, handler)
        if crashes:
            faulthandler.disable()  # its handler must come before ours, and is enabled elsewhere
            _leave_crashes_of_children_alone()
        for number in (SIGNAL, *crashes):
            library.signal(number, ctypes.cast(handler, ctypes.c_void_p))

    def _plan(self, note: Path, variables: Mapping[str, str]) -> str:
        limits = []
        if resource is not None:
            limits = [(one, resource.getrlimit(one)) for one in limit_numbers()]
        handled = [one for one in signal.valid_signals() if signal.getsignal(one)]
        ignored = [one for one in handled if signal.getsignal(one) is signal.SIG_IGN]
        plan = {
            "command": list(self._command),
            "variables": {**_initial_environment(), **variables},
            "folder": str(self._folder),
            "note": str(note),
            "limits": limits,
            "umask": _umask(),
            "ignored": [int(one) for one in ignored],
            "blocked": [int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
        }
        return json.dumps(plan)

    def _close(self) -> None:
        for descriptor in self._streams:
            with suppress(OSError):
                os.close(descriptor)


@cache
def _leave_crashes_of_children_alone() -> None:
    """Let a child of this process that crashes die."""
    os.register_at_fork(after_in_child=_die_of_crashes)


def _die_of_crashes() -> None:
    """Remove handlers that Python does not know: they are ours."""
    faulthandler.disable()
    for number in CRASHES:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)


def _texts(texts: Sequence[str]) -> Any:
    """Return a list of texts as a C array."""
    return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts), None)


def _initial_environment() -> dict[str, str]:
    """Return the original environment of this process: the application may have changed it."""
    with suppress(OSError):
        lines = Path("/proc/self/environ").read_bytes().split(b"\0")
        pairs = [os.fsdecode(line).partition("=") for line in lines if line]
        return {name: value for name, _equals, value in pairs}
    return dict(os.environ)


def _umask() -> int:
    known = os.umask(0o077)
    os.umask(known)
    return known


def main(text: str) -> None:
    """Execute the command of a plan in place of this process."""
    plan = json.loads(text)
    child_processes.end_descendants()
    with suppress(OSError):
        note = Path(plan["note"])
        if not note.exists() or not note.stat().st_size:
            note.write_text(REASON, encoding="utf-8")
    os.closerange(STANDARD_STREAMS[-1] + 1, _HIGHEST_DESCRIPTOR)
    for step in _steps_back(plan):
        with suppress(OSError, ValueError):
            step()
    os.execvpe(plan["command"][0], plan["command"], plan["variables"])


def _steps_back(plan: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
    yield partial(os.chdir, plan["folder"])
    yield partial(os.umask, plan["umask"])
    for number, limits in plan["limits"]:
        yield partial(resource.setrlimit, number, tuple(limits))
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        handler = signal.SIG_IGN if number in plan["ignored"] else signal.SIG_DFL
        yield partial(signal.signal, number, handler)
    yield partial(signal.pthread_sigmask, signal.SIG_SETMASK, plan["blocked"])
