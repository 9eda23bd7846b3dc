"""A pytest plugin for verification runs: a warm process, with a fork for each run of tests.

The processes are forked after collection, so the application is imported once, and not for each
module. For a large application with many modules this would take minutes. No module sees what the
tests of another module leave in memory. Then all tests run again in other circumstances, if an
interpreter can change to these after its start: another order, clock, time zone or number of
threads, warnings as errors, two processes at once.

Verification runs load a copy of this file, so it imports nothing from pytest-evosearch.

    EVOSEARCH_VERIFY_APART   set to run modules so; needs ``os.fork`` and a single thread
    EVOSEARCH_VERIFY_THEN    the circumstances in which all tests are run afterwards, a JSON
                             object: ``environment`` (variables of `write.plugins.perturbation`),
                             ``warnings`` (filters) and ``processes`` (at once)
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

_LAST = ".evosearch"
"""Suffix of the name of a folder for temporary files that only one process uses."""


class Forks:
    """Runs the modules of a session one after another, each in a fork."""

    def __init__(self) -> None:
        self._in_child = False

    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Fork for every module; in the fork, pytest's own loop runs its tests."""
        if self._in_child or session.testsfailed:
            return None
        if threading.active_count() > 1:
            raise session.Interrupted("threads do not survive a fork")
        everything = list(session.items)
        shares = session.config.pluginmanager.has_plugin("evosearch-set-up-once")
        # There each test has a fork of its own, and a set-up would be needed for every module.
        modules = [everything] if shares and everything else _by_module(everything)
        waiting = len(everything)
        recorder = session.config.pluginmanager.get_plugin("evosearch-verification")
        if recorder is not None:
            recorder.share_pauses(len(modules))
        for items in modules:
            if recorder is not None:
                recorder.allot(len(items) / waiting)
            waiting -= len(items)
            process = self._forked(session, items)
            if process is None:
                return None
            _wait(session, [process])
        then = os.environ.get("EVOSEARCH_VERIFY_THEN")
        if then:
            return self._run_once_more(session, everything, json.loads(then))
        return True

    def _run_once_more(self, session: Any, items: list[Any], then: dict[str, Any]) -> bool | None:
        """Run all tests in other circumstances, in one process or several at once."""
        recorder = session.config.pluginmanager.get_plugin("evosearch-verification")
        recorder.note_change()
        processes = []
        items = recorder.reordered(items, then["environment"])
        number = max(1, then["processes"])
        for place in range(number):
            process = self._forked(session, items[place::number])
            if process is None:
                recorder.change(then["environment"])
                session.config.known_args_namespace.pythonwarnings = then["warnings"]
                if number > 1:
                    _become_worker(session.config, place, number)
                return None
            processes.append(process)
        _wait(session, processes)
        return True

    def _forked(self, session: Any, items: list[Any]) -> int | None:
        """Fork a process for `items`; return its number, None in the fork itself."""
        process = os.fork()
        if process:
            return process
        self._in_child = True
        _end_with_the_parent()
        session.items[:] = items
        session.testsfailed = 0  # earlier failures: pytest would treat them as errors of collection
        return None

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        """End a fork at once: only the parent process ends the session.

        Its fixtures were torn down with its last test. Reports of plugins at the end of a session
        may take longer than a module's tests.
        """
        if self._in_child:
            reporter = session.config.pluginmanager.get_plugin("terminalreporter")
            if reporter is not None:
                reporter.flush()
            sys.stdout.flush()
            os._exit(int(exitstatus))


def _wait(session: Any, processes: list[int]) -> None:
    for process in processes:
        _, status = os.waitpid(process, 0)
        session.testsfailed += os.waitstatus_to_exitcode(status) != 0


def _become_worker(config: Any, place: int, number: int) -> None:
    """Make fixtures treat this process as a worker of pytest-xdist, with its own folder."""
    name, run = f"gw{place}", f"evosearch-{os.getppid()}"
    os.environ["PYTEST_XDIST_WORKER"] = name
    os.environ["PYTEST_XDIST_WORKER_COUNT"] = str(number)
    os.environ["PYTEST_XDIST_TESTRUNUID"] = run
    config.workerinput = {"workerid": name, "workercount": number, "testrunuid": run}
    factory = config._tmp_path_factory  # a private name; without it, the run fails visibly
    if factory._given_basetemp is not None:
        own = factory._given_basetemp.with_name(f"{factory._given_basetemp.name}-{name}{_LAST}")
        factory._given_basetemp, factory._basetemp = own, None


def _end_with_the_parent() -> None:
    """Let the fork end with the process that waits for it (`write.plugins.orphaned`)."""
    orphaned = sys.modules.get("evosearch_orphaned")
    if orphaned is not None and sys.platform == "linux":
        orphaned.end_with_parent(os.getppid())


def _by_module(items: list[Any]) -> list[list[Any]]:
    found: dict[object, list[Any]] = {}
    for item in items:
        found.setdefault(item.path, []).append(item)
    return list(found.values())


def pytest_configure(config: Any) -> None:
    """Register the hooks of this session, when the environment asks for them."""
    if os.environ.get("EVOSEARCH_VERIFY_APART"):
        config.pluginmanager.register(Forks(), "evosearch-apart")
