"""Keeps the process that the search shares with the application as it was.

A handler may close standard output, change directory, replace `time.time`, or take over a signal;
in a server this affects only the server, but here it would end the search or spoil every later
test. Each evaluation ends by restoring what was changed. Tuples and lists are compared whole, in C,
and only some tests are looked at call by call (`execution.current_call`).

    protected    one test: its fixtures' reset and all of its calls
    call         one call: what it may take is limited (`execution.memory`, `.descriptors`), and
                 what it changed comes back at its end
"""

from __future__ import annotations

import os as application_os
import signal
import sys
import threading
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.execution.current_call import Attention
from pytest_evosearch.execution.descriptors import KeptDescriptors
from pytest_evosearch.execution.memory import MemoryLimit
from pytest_evosearch.execution.process_state import ProcessState
from pytest_evosearch.execution.process_state import shared_signal_handlers
from pytest_evosearch.execution.process_state import unhandled_signals
from pytest_evosearch.execution.threads import call_that_started
from pytest_evosearch.sut.sandbox.process_ends import KILLED
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnds
from pytest_evosearch.sut.sandbox.shared_functions import CLIENT_FUNCTIONS
from pytest_evosearch.sut.sandbox.shared_functions import FURTHER_FUNCTIONS
from pytest_evosearch.sut.sandbox.shared_functions import LIBRARY_FUNCTIONS
from pytest_evosearch.sut.sandbox.shared_functions import SHARED_FUNCTIONS
from pytest_evosearch.sut.sandbox.shared_functions import SharedFunctions
from pytest_evosearch.sut.sandbox.shared_resources import SharedResources


class ProtectedProcess:
    """Notes the state of the process when created, and restores it after each evaluation."""

    def __init__(
        self,
        resources: SharedResources | None = None,
        descriptors: KeptDescriptors | None = None,
    ) -> None:
        self.disturbances: dict[str, None] = {}
        """What the last block changed and tests in one process share, one phrase each."""
        self.late: dict[str, str] = {}
        """Endpoint that starts threads which end the process later -> how they do it."""
        self.refusals: Mapping[str, int] = {}
        """Attempts to affect other processes -> how many times."""
        self._directory = _working_directory()
        self._environment = dict(application_os.environ)
        self._raw_environment = _raw_environment()
        self._functions = SharedFunctions(SHARED_FUNCTIONS)
        self._further_functions = SharedFunctions(())
        self._client_functions = SharedFunctions(())
        self._imports = _Imports()
        self._state = ProcessState()
        self._resources = resources or SharedResources()
        self._descriptors = descriptors or KeptDescriptors()
        self._shielded: list[Any] = []
        self._streams: tuple[Any, ...] = ()
        self._signals = shared_signal_handlers()
        self._memory = MemoryLimit()
        self._ends: ProcessEnds | None = None
        self._unhandled: list[int] = []
        """Deadly signals that end the call instead of the process."""
        self._is_calling = self._is_leaving = False
        self.attention = Attention()
        """Decides which tests and calls are looked at."""

    @contextmanager
    def kept_alive(self, ends: ProcessEnds) -> Iterator[None]:
        """Make calls that would end this or another process fail with `ends`, inside the block."""
        self.refusals, self._ends = ends.refusals, ends
        self._further_functions = SharedFunctions(  # with all stand-ins
            (*FURTHER_FUNCTIONS, *LIBRARY_FUNCTIONS)
        )
        self._client_functions = SharedFunctions(CLIENT_FUNCTIONS)
        unhandled = unhandled_signals()
        self._end_by_signals(unhandled, self._note_signal)
        try:
            ours = [(number, self._note_signal) for number in unhandled]
            with ends.refused(self._note_end, [*shared_signal_handlers(), *ours]):
                yield
        finally:
            self._end_by_signals(unhandled, signal.SIG_DFL)

    def follow(self) -> None:
        """Protect this process, a fork of ours, as its parent was protected."""
        self._descriptors.forget_tests()
        self._state.remember()
        if self._ends is not None:
            self._ends.follow()

    def leave_to_system(self) -> None:
        """Restore signals, streams and memory limits in a process that the application forked."""
        self.release()
        self._memory.end()
        for number in self._unhandled:
            signal.signal(number, signal.SIG_DFL)
        for number, handler in self._signals:
            if signal.getsignal(number) is handler and handler is not signal.SIG_IGN:
                is_interrupt = number == signal.SIGINT
                signal.signal(
                    number, signal.default_int_handler if is_interrupt else signal.SIG_DFL
                )
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    @contextmanager
    def protected(self, trusted: Sequence[str] | None = None) -> Iterator[None]:
        """Put back what is changed inside the block, and say so in `disturbances`.

        Code that never changed anything hardly does so later.  So a block that only calls the
        endpoints `trusted` is checked as `attention` decides.
        """
        self.disturbances = {}
        self.attention.begin(trusted)
        streams = _standard_streams()
        if streams != self._streams:
            self._streams = streams
            for stream in streams:
                self._shield(stream)
        self._descriptors.begin_test(self.attention.is_close)
        try:
            yield
        finally:
            if not self.attention.passes_over:
                self._put_back_after_test(streams)

    def _put_back_after_test(self, streams: tuple[Any, ...]) -> None:
        if _standard_streams() != streams:
            self._note("replaces a standard stream")
            sys.stdin, sys.stdout, sys.stderr = streams[:3]
            sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams[3:]  # type: ignore[misc]
        self._descriptors.give_back(self._note)
        self.restore(after_test=True)

    @property
    def call(self) -> ProtectedProcess:
        """Limit the resources of a call inside the block, and restore what it changes."""
        return self

    def __enter__(self) -> None:
        self._is_calling = True
        self._descriptors.begin()
        self._memory.begin()
        self._resources.begin(self._descriptors.kept, self._note)

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        self._is_calling, self._is_leaving = False, True
        self._memory.end()  # first of all: no memory may be left for the rest
        if self.attention.is_close or self.disturbances or kind is not None:
            self._put_back_after_call(kind)
        else:
            self._descriptors.end()
            self._resources.end()
        self._is_leaving = False

    def _put_back_after_call(self, kind: type[BaseException] | None) -> None:
        self._put_functions_back()  # everything else depends on these functions
        if kind is MemoryError:
            self.free_memory()
        self._resources.end()
        self._descriptors.put_back(self._note)
        self._put_state_back(after_test=bool(self.disturbances))

    def free_memory(self) -> None:
        """Free the reserve for code after a call that has used up all memory."""
        self._memory.free_reserve()

    @contextmanager
    def taken_as_it_is(self) -> Iterator[None]:
        """Take the present state and functions as those to restore inside the block.

        Outside of it a test may run under another clock, or with functions that count.
        """
        known = self._environment, self._raw_environment, self._state.remembered()
        functions, self._functions = self._functions, SharedFunctions(SHARED_FUNCTIONS)
        self._environment = dict(application_os.environ)
        self._raw_environment = _raw_environment()
        self._state.remember()
        try:
            yield
        finally:
            self._functions = functions
            self._environment, self._raw_environment = known[:2]
            self._state.remember(known[2])

    def restore(self, after_test: bool = True) -> None:
        """Restore everything except the standard streams and descriptors."""
        self._put_functions_back()
        if after_test and self._further_functions.were_replaced():
            self._note(f"replaces functions of {', '.join(self._further_functions.restore())}")
        self._put_state_back(after_test)

    def _put_state_back(self, after_test: bool) -> None:
        if _working_directory() != self._directory:
            self._note("changes the working directory")
            with suppress(OSError):
                os.chdir(self._directory)
        if _shown_environment() != self._raw_environment:
            self._restore_environment()
        for phrase in self._state.restore(after_test):
            self.attention.is_suspect = True
            if phrase:
                self._note(phrase)

    def _put_functions_back(self) -> None:
        if self._functions.were_replaced():
            self._note(f"replaces functions of {', '.join(self._functions.restore())}")
        if self._client_functions.were_replaced():
            self._note(f"replaces functions of {', '.join(self._client_functions.restore())}")
        if self._imports.are_missing():
            self._note("removes modules or search paths of imports")

    def release(self) -> None:
        """Let the owners of the standard streams close them again."""
        for stream in self._shielded:
            with suppress(AttributeError):
                del stream.close
        self._shielded.clear()

    def _note(self, disturbance: str) -> None:
        self.disturbances[disturbance] = None
        self.attention.is_suspect = True

    def _note_end(self, phrase: str) -> None:
        """Note the way in which a handler, or a thread of some call, ends the process."""
        call = call_that_started(threading.current_thread())
        if call is None:
            self._note(phrase)
        else:
            self.late[call] = phrase

    def _end_by_signals(self, numbers: Sequence[int], handler: Any) -> None:
        """Set `handler` for deadly signals; it becomes the state to restore."""
        for number in numbers:
            signal.signal(number, handler)
        self._unhandled = [] if handler is signal.SIG_DFL else list(numbers)
        self._state.remember()

    def _note_signal(self, number: int, _frame: object) -> None:
        """Raise within a call where a signal would have ended the process."""
        if self._is_calling or self._is_leaving:
            self._note(f"ends the process by {signal.Signals(number).name}")
        if self._is_calling:
            raise ProcessEnd(KILLED + number)
        if self._is_leaving:  # the timer belongs to an earlier call that returned before it fired
            return
        signal.signal(number, signal.SIG_DFL)  # the signal comes from another process
        os.kill(os.getpid(), number)

    def _ignore_closing(self) -> None:
        """Replace the `close` of a standard stream."""
        self._note("closes a standard stream")

    def _restore_environment(self) -> None:
        self.attention.is_suspect = True
        environment = application_os.environ
        if not environment.keys() >= self._environment.keys():
            self._note("removes variables from the environment")
        for name in [name for name in environment if name not in self._environment]:
            del environment[name]
        environment.update(self._environment)
        self._raw_environment = _raw_environment()

    def _shield(self, stream: Any) -> None:
        """Make `stream.close()` do nothing."""
        if any(stream is shielded for shielded in self._shielded):
            return
        with suppress(AttributeError, TypeError):
            stream.close = self._ignore_closing
            self._shielded.append(stream)


class _Imports:
    """The imported modules, and the folders from which more can be imported.

    New modules and folders are left alone: each call may import something, and fixtures add
    folders.
    """

    def __init__(self) -> None:
        self._modules = dict(sys.modules)
        self._lists = [(name, found, tuple(found)) for name, found in _import_lists()]

    def are_missing(self) -> bool:
        """Say whether some modules or folders are missing; those are restored."""
        missing = False
        if len(sys.modules) < len(self._modules):
            missing = True
            sys.modules.update({**self._modules, **sys.modules})
        for name, found, known in self._lists:
            present = getattr(sys, name, None)
            if present is not found or len(found) < len(known):
                missing = True
                found[:] = [*(one for one in known if one not in found), *found]
                setattr(sys, name, found)
        return missing


def _import_lists() -> Iterator[tuple[str, list[Any]]]:
    for name in ("path", "meta_path", "path_hooks"):
        yield name, getattr(sys, name)


def _standard_streams() -> tuple[Any, ...]:
    """Return the present streams, and those behind them under pytest's capture."""
    usual = sys.stdin, sys.stdout, sys.stderr
    return (*usual, sys.__stdin__, sys.__stdout__, sys.__stderr__)


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


def _shown_environment() -> Mapping[Any, Any]:
    """Return the environment in the form that compares fastest."""
    environment: Any = application_os.environ
    found: Mapping[Any, Any] = getattr(environment, "_data", environment)
    return found


def _raw_environment() -> Mapping[Any, Any]:
    """Return a copy of the environment."""
    return dict(_shown_environment())
