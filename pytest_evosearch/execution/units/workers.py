"""Executes tests of units in forks of this process, which are replaced.

    fork -> confine -> for each order: call, record, answer -> end

A worker is replaced after a number of orders, and at once when a call was cut off, ended the
process, started a thread, or replaced a builtin.  So what units leave behind reaches few others,
and this process never.  An execution whose results tests assert has a worker of its own.
"""

from __future__ import annotations

import builtins
import io
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.failing.fence import Mishap
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import ScratchFolder
from pytest_evosearch.errors import CutOff
from pytest_evosearch.execution.forked.channel import Channel
from pytest_evosearch.execution.forked.channel import ChannelClosed
from pytest_evosearch.execution.forked.channel import wait_for
from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.execution.units.confined import confine
from pytest_evosearch.execution.units.confined import moved
from pytest_evosearch.execution.units.confined import written_files
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Unit

ORDERS_OF_ONE = 200
"""Orders of one worker during a search: a fork takes some milliseconds, as many calls do."""

GRACE_SECONDS = 1.0
"""Seconds after its limit in which a worker must answer; then it hangs in C, and is ended."""

REPEAT_SECONDS = 0.1
"""Seconds between two alarms to a unit that swallows the first."""

Sent = Sequence[tuple[str, Mapping[str, object]]]


@dataclass(frozen=True)
class Order:
    """What a worker does next: one test, or a function of ours for the process of a unit."""

    sent: Sent = ()
    is_full: bool = False
    task: Callable[[], object] | None = None


class UnitWorkers:
    """The processes in which units are called, one at a time."""

    def __init__(
        self,
        units: Mapping[str, Unit],
        recording: Recording,
        seconds: float,
        folder: Path,
        fence: Fence | None = None,
    ) -> None:
        self._units = units
        self.fence = fence or Fence()
        """Collects what fails in a worker by a mistake of this plugin."""
        self._recording = recording
        self.seconds = seconds
        """Seconds that the calls of one test may take."""
        self._folder = folder
        self._worker: _Worker | None = None
        self.harms: dict[str, str] = {}
        """Unit -> why it lost a process."""

    def execute(self, sent: Sent, full: bool = False, apart: bool = False) -> Run:
        """Execute a test; with `full` tell all that it covers and gives, `apart` in a new process.

        What runs in one process may see what other tests have left there.
        """
        if apart:
            self.close()
        run = self._answer(Order(sent, full), sent[-1][0])
        if apart:
            self.close()
        return run if isinstance(run, Run) else Run()

    def perform(
        self, task: Callable[[], object], unit: str, seconds: float | None = None
    ) -> object:
        """Return the result of a function that calls units, from a new process; None without."""
        self.close()
        try:
            return self._answer(Order(task=task), unit, seconds)
        finally:
            self.close()

    def close(self) -> None:
        """End the present worker."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _answer(self, order: Order, unit: str, seconds: float | None = None) -> object:
        worker = self._worker
        if worker is None:
            worker = self._worker = _Worker(self._units, self._recording, self._folder)
        answer = worker.ask(order, self.seconds if seconds is None else seconds)
        if isinstance(answer, Mishap):
            self.fence.adopt([answer])
            answer = None if order.task is not None else Run(harm=answer.message)
        harm = worker.harm or (answer.harm if isinstance(answer, Run) else "")
        if harm and order.task is None:
            self.harms.setdefault(unit, harm)
        leaves = answer.leaves if isinstance(answer, Run) else ""
        if harm or leaves or worker.orders >= ORDERS_OF_ONE:
            self.close()
        return Run(harm=harm) if answer is None and order.task is None else answer


class _Worker:
    """One forked process, as its parent sees it."""

    def __init__(self, units: Mapping[str, Unit], recording: Recording, folder: Path) -> None:
        self.orders = 0
        self.harm = ""
        self._scratch = ScratchFolder("unit", folder)
        inside = self._scratch.path / "empty"
        inside.mkdir()
        self._orders, self._answers = Channel(), Channel()
        sys.stdout.flush()
        self._process = os.fork()
        if self._process == 0:
            status = 1
            try:
                with suppress(BaseException):
                    _serve(units, recording, str(inside), self._orders, self._answers)
                status = 0
            finally:
                os._exit(status)
        self._orders.keep_writing()
        self._answers.keep_reading()

    def ask(self, order: Order, seconds: float) -> object:
        """Return the answer to an order; None when the process is lost."""
        self.orders += 1
        try:
            self._orders.send(pickle.dumps((order, seconds)))
            if not wait_for([self._answers], 2 * seconds + GRACE_SECONDS):
                self.harm = "it did not end"
                return None
            return pickle.loads(self._answers.receive())
        except (ChannelClosed, pickle.PickleError, EOFError, AttributeError, ImportError):
            self.harm = "it ended its process"
        except (ValueError, IndexError, KeyError, TypeError, MemoryError):
            self.harm = "it wrote into our pipe"
        return None

    def end(self) -> None:
        """End the process and all that it has started, and remove its folder."""
        for number in (self._orders.writing, self._answers.reading):
            os.close(number)
        with suppress(OSError):
            os.killpg(self._process, signal.SIGKILL)
        with suppress(OSError):
            os.kill(self._process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self._process, 0)
        self._scratch.close()


def _serve(
    units: Mapping[str, Unit],
    recording: Recording,
    folder: str,
    orders: Channel,
    answers: Channel,
) -> None:
    """Answer orders until the parent closes the pipe, or a call has left something behind."""
    orders.keep_reading()
    answers.keep_writing()
    orders.reading, answers.writing = moved(orders.reading), moved(answers.writing)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
    signal.signal(signal.SIGALRM, _cut_off)
    attempts = confine(folder, (orders.reading, answers.writing))
    names = dict(vars(builtins))
    while True:
        order, seconds = pickle.loads(orders.receive())
        answer = _answered(order, seconds, units, recording)
        if isinstance(answer, Run):
            harm = answer.harm or (attempts[0] if attempts else "")
            answer = replace(answer, harm=harm, leaves=_left_behind(names))
            answer = _with_files(answer, folder)
        attempts.clear()
        answers.send(_packed(answer))


def _with_files(run: Run, folder: str) -> Run:
    """Return a run whose last result tells of the files that were written."""
    try:
        files = written_files(folder)
    except OSError as error:
        return replace(run, harm=run.harm or type(error).__name__, leaves="files")
    if not files or not run.results:
        return run
    return replace(run, results=[*run.results[:-1], replace(run.results[-1], files=files)])


def _answered(
    order: Order, seconds: float, units: Mapping[str, Unit], recording: Recording
) -> object:
    signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)
    try:
        return order.task() if order.task is not None else _executed(order, units, recording)
    except (CutOff, *_OF_THE_MACHINE) as error:
        return None if order.task is not None else Run(harm=f"{type(error).__name__}")
    except Exception as error:
        return _mishap(error)
    except BaseException as error:
        return None if order.task is not None else Run(harm=f"{type(error).__name__}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


_OF_THE_MACHINE = (MemoryError, RecursionError, OSError)
"""Errors that limits of a worker cause, and no mistake of this plugin."""


def _mishap(error: Exception) -> Mishap:
    fence = Fence()
    fence.note("some calls of units", error)
    (mishap,) = fence.mishaps.values()
    return mishap


def _packed(answer: object) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception:
        return pickle.dumps(Run(harm="its result cannot leave the process"))


def _executed(order: Order, units: Mapping[str, Unit], recording: Recording) -> Run:
    recording.begin(full=order.is_full)
    calls = Calls(units, recording.catalog.path_of, order.is_full)
    try:
        results = calls.perform(order.sent)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        trace = recording.end()
    cut = any(result.end is End.CUT_OFF for result in results)
    return Run(
        results,
        dict(trace.scores),
        [told for one in trace.comparisons if (told := _portable(one)) is not None],
        "it took too long" if cut else "",
    )


def _portable(comparison: Comparison) -> Comparison | None:
    """Return a comparison of plain values; classes are told by their names."""
    observed, wanted = _plain(comparison.observed), _plain(comparison.wanted)
    if observed is _plain or wanted is _plain:
        return None
    return comparison._replace(observed=observed, wanted=wanted)


_PLAIN_MODULES = frozenset({"builtins", "datetime", "decimal", "fractions", "uuid"})


def _plain(value: Any) -> Any:
    """Return a plain value; this function itself for any other."""
    if isinstance(value, type):
        return value.__name__
    if type(value) in (list, tuple, set, frozenset):
        inside = [_plain(one) for one in value]
        return _plain if any(one is _plain for one in inside) else type(value)(inside)
    if type(value) is dict:
        return _plain(tuple(value))
    is_plain = type(value).__module__ in _PLAIN_MODULES and not callable(value)
    return value if is_plain else _plain


def _left_behind(names: Mapping[str, object]) -> str:
    """Say what a call has left in this process; empty for nothing that is known."""
    if threading.active_count() > 1:
        return "a running thread"
    return "a replaced builtin" if vars(builtins) != names else ""


def _cut_off(_signal: int, _frame: FrameType | None) -> None:
    raise CutOff
