"""A pytest plugin for verification runs: records outcomes, and changes the circumstances.

The verifier loads a copy of this file beside its log with ``-p``, so it imports neither
pytest-evosearch nor pytest. It reads environment variables:

    EVOSEARCH_VERIFY_LOG     file to which one JSON object per line is appended
    EVOSEARCH_VERIFY_ORDER   ``collected`` for the order of the files, also where a plugin such as
                             pytest-randomly shuffles them; ``reversed`` for the other direction,
                             a number to shuffle them always the same way
    EVOSEARCH_VERIFY_HOURS   hours by which the clock is moved (needs time-machine)
    EVOSEARCH_VERIFY_SEED    seed of the global random generator before every test, beside the
                             test's own name: an application that names its files at random
                             would meet those of the test before
    EVOSEARCH_VERIFY_ONLY    ``fixtures`` to set up and tear down what tests ask for, and not to
                             run the tests; ``own`` to run none below EVOSEARCH_VERIFY_FOLDER
    EVOSEARCH_VERIFY_PROVEN  JSON list of tests that are not run: name of the module, of the test,
                             and row, null for a test without a table
    EVOSEARCH_VERIFY_THREADS idle threads beside the tests: pytest-xdist has one of its own, too,
                             and an application may count them
    EVOSEARCH_VERIFY_WARNINGS  a filter for warnings from the first test on, such as ``error``
    EVOSEARCH_VERIFY_SECONDS seconds after which no further test of the run begins
    EVOSEARCH_VERIFY_PAUSE   seconds between two calls of a test while the application has threads
                             that go on: what they change meanwhile is not to be asserted
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LONGEST_PAUSES = 20.0
"""Most seconds of all pauses in a session."""

_SHARE_OF_PAUSES = 0.2
"""Largest share of pauses in a session with limited time."""

_RUNNERS = ("_pytest", "pytest", "execnet", "xdist", "pytest_timeout", "coverage")
"""Packages that run tests and have their own threads."""

_COLLECTED = "collected"
"""The order of the files, with which nothing is to be done."""

_LONGEST_REASON = 300
"""Most characters of a failure's message that are kept."""


_open, _write, _close, _dumps = os.open, os.write, os.close, json.dumps
"""Applications may replace the modules' functions."""

_monotonic = time.monotonic
_BEGAN = _monotonic()
"""The clock may be moved, and the application may replace it."""


def _log(entry: dict[str, Any]) -> None:
    path = os.environ.get("EVOSEARCH_VERIFY_LOG")
    if not path:
        return
    # Several processes append to one log. A buffered file would write a long line in parts.
    descriptor = _open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        _write(descriptor, _dumps(entry).encode() + b"\n")
    finally:
        _close(descriptor)


class _Clock:
    """The moved clock of a session."""

    def __init__(self) -> None:
        self._travel: Any = None

    def start(self) -> None:
        """Move the clock as requested; without time-machine it stays."""
        hours = os.environ.get("EVOSEARCH_VERIFY_HOURS")
        if not hours:
            return
        try:
            import time_machine
        except ImportError:
            return
        # A number, because a time with a zone would also change the time zone of the process.
        destination = time.time() + float(hours) * 3600
        self._travel = time_machine.travel(destination, tick=True)
        self._travel.start()

    def stop(self) -> None:
        """Restore the clock."""
        if self._travel is not None:
            self._travel.stop()
            self._travel = None


class _Pauses:
    """Gives threads of the application time to act between the calls of a test."""

    def __init__(self) -> None:
        self._seconds = float(os.environ.get("EVOSEARCH_VERIFY_PAUSE", "0"))
        allowed = float(os.environ.get("EVOSEARCH_VERIFY_SECONDS", "inf"))
        self._left = min(_LONGEST_PAUSES, _SHARE_OF_PAUSES * allowed)
        self._calls = 0
        self._installed = False
        self._sleep = time.sleep

    def begin(self) -> None:
        """Begin a test."""
        self._calls = 0
        client: Any = getattr(sys.modules.get("werkzeug.test"), "Client", None)
        if self._installed or client is None or not self._seconds:
            return
        self._installed = True
        real, pauses = client.open, self

        def open_after_pause(self: Any, *arguments: Any, **keywords: Any) -> Any:
            pauses.before_call()
            return real(self, *arguments, **keywords)

        client.open = open_after_pause

    def before_call(self) -> None:
        """Wait before each call except the first, when another thread may act."""
        self._calls += 1
        if self._calls > 1 and self._left > 0 and _has_busy_threads():
            self._left -= self._seconds
            self._sleep(self._seconds)


def _has_busy_threads() -> bool:
    """Say whether a thread is running that is neither ours nor a test runner's."""
    frames = sys._current_frames()
    return any(
        _is_busy(frames.get(thread.ident or 0))
        for thread in threading.enumerate()
        if thread is not threading.current_thread() and thread is not threading.main_thread()
    )


def _is_busy(frame: Any) -> bool:
    """Say whether a library or the application runs the function at the bottom of a stack."""
    found = False
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] in _RUNNERS:
            return False
        found |= name.partition(".")[0] not in ("threading", "concurrent")
        frame = frame.f_back
    return found


class Recorder:
    """The hooks of one session."""

    def __init__(self) -> None:
        self._clock = _Clock()
        self._pauses = _Pauses()
        self._has_threads = False
        self._warnings: dict[str, str] = {}
        self._collected: dict[Any, int] = {}
        seconds = float(os.environ.get("EVOSEARCH_VERIFY_SECONDS", "inf"))
        self._end = _BEGAN + seconds

    def pytest_collection_finish(self, session: Any) -> None:
        """Turn warnings into errors, now that everything is loaded."""
        if filters := os.environ.get("EVOSEARCH_VERIFY_WARNINGS"):
            session.config.known_args_namespace.pythonwarnings = [filters]

    def pytest_itemcollected(self, item: Any) -> None:
        """Note the place of an item before any plugin reorders the items."""
        self._collected[item] = len(self._collected)

    def pytest_sessionstart(self) -> None:
        """Move the clock before tests import anything of the project."""
        self._clock.start()

    def pytest_sessionfinish(self) -> None:
        """Restore the clock."""
        self._clock.stop()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Note function and row of every item, and reorder the items."""
        if os.environ.get("EVOSEARCH_VERIFY_ONLY") == "own":
            folder = Path(os.environ["EVOSEARCH_VERIFY_FOLDER"])
            items[:] = [item for item in items if not item.path.is_relative_to(folder)]
        proven = {tuple(one) for one in json.loads(os.environ.get("EVOSEARCH_VERIFY_PROVEN", "[]"))}
        if proven:
            items[:] = [item for item in items if _place_of(item) not in proven]
        order = os.environ.get("EVOSEARCH_VERIFY_ORDER", "")
        if order:
            last = len(self._collected)
            items.sort(key=lambda item: self._collected.get(item, last))
        _reorder(items, order)
        for item in items:
            file, test, row = _place_of(item)
            fixtures = list(getattr(item, "fixturenames", ()))
            entry = {"item": item.nodeid, "file": file, "test": test, "row": row}
            _log({**entry, "fixtures": fixtures})

    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        """Skip a test when the time is up, and note it."""
        if _monotonic() < self._end:
            return None
        _log({"left out": item.nodeid})
        return True

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test is running, in case it never ends.

        Threads start here, in the process that runs the tests, so no fork happens beside them.
        """
        _log({"started": nodeid})
        self._pauses.begin()
        if not self._has_threads:
            self._has_threads = True
            for _ in range(int(os.environ.get("EVOSEARCH_VERIFY_THREADS", "0"))):
                threading.Thread(target=threading.Event().wait, daemon=True).start()
        seed = os.environ.get("EVOSEARCH_VERIFY_SEED")
        if seed:
            random.seed(f"{seed} {nodeid}")

    def pytest_pyfunc_call(self) -> bool | None:
        """Skip the test itself when only its fixtures matter."""
        return True if os.environ.get("EVOSEARCH_VERIFY_ONLY") == "fixtures" else None

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Remember which warning was an error."""
        kinds = {type(one) for one in _leaves(call.excinfo.value)} if call.excinfo else set()
        if len(kinds) == 1 and issubclass(kind := kinds.pop(), Warning):
            module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
            self._warnings[item.nodeid] = module + kind.__qualname__

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Record one phase of one test."""
        entry = {"report": report.nodeid, "outcome": report.outcome, "reason": ""}
        entry["when"] = report.when
        if report.outcome == "failed":
            entry["reason"] = _reason(report)
            entry["warning"] = self._warnings.get(report.nodeid) or _logged_warning(report)
        _log(entry)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test has ended."""
        _log({"ended": nodeid})

    def pytest_collectreport(self, report: Any) -> None:
        """Record a module that cannot be collected."""
        if report.failed:
            _log({"uncollected": report.nodeid, "reason": _reason(report)})


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions of a group; pytest raises several warnings at once as a group."""
    inner = getattr(error, "exceptions", None)
    if not isinstance(inner, tuple):
        yield error
        return
    for each in inner:
        yield from _leaves(each)


def _place_of(item: Any) -> tuple[str, str, int | None]:
    """Return the names of the module and of the function, and the row."""
    return item.path.name, getattr(item, "originalname", None) or item.name, _row_of(item)


def _row_of(item: Any) -> int | None:
    """Return the row of a test in its own table, None without a table.

    Parameters from fixtures and hooks of the project are no rows, but pytest's own numbers include
    them. So a row is identified by its content.
    """
    params = getattr(getattr(item, "callspec", None), "params", {})
    for mark in getattr(item, "own_markers", ()):
        if mark.name != "parametrize" or len(mark.args) < 2:
            continue
        names, rows = mark.args[:2]
        if isinstance(names, str):
            names, rows = (names,), [(value,) for value in rows]
        for place, row in enumerate(rows):
            if all(params.get(name) is value for name, value in zip(names, row, strict=False)):
                return place
    return None


def _reorder(items: list[Any], order: str) -> None:
    if order == "reversed":
        items.reverse()
    elif order and order != _COLLECTED:
        # a separate generator: the tests' generator does not change
        random.Random(int(order)).shuffle(items)


def _logged_warning(report: Any) -> str:
    """Return the class of a warning that the application has turned into a 500 response."""
    found = re.findall(
        r"^([\w.]+Warning): ", "\n".join(text for _, text in report.sections), re.MULTILINE
    )
    return str(found[-1]) if found else ""


def _reason(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr or "")
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return " ".join(lines[:2] if crash is not None else lines[-1:])[:_LONGEST_REASON]


def pytest_configure(config: Any) -> None:
    """Register the hooks of this session."""
    config.pluginmanager.register(Recorder(), "evosearch-verification")
