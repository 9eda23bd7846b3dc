"""A pytest plugin for verification runs: every module runs in a process of its own.

The processes are forked once everything is collected, so that the application is imported once
and not once a module, which takes minutes where it is large and there are many modules.  What
the tests of a module leave behind in memory, no other module sees.

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.

    EVOSEARCH_VERIFY_APART   set to run modules so; needs ``os.fork`` and a single thread
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any


class Forks:
    """Runs the modules of a session one after another, each in a fork of it."""

    def __init__(self) -> None:
        self._in_child = False

    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Fork for every module; in the fork pytest's own loop goes on with its tests."""
        if self._in_child or session.testsfailed:
            return None
        if threading.active_count() > 1:
            raise session.Interrupted("threads do not survive a fork")
        for items in _by_module(session.items):
            process = os.fork()
            if not process:
                self._in_child = True
                _end_with_the_parent()
                session.items[:] = items
                session.testsfailed = 0  # those before: pytest would take them for its collection's
                return None
            _, status = os.waitpid(process, 0)
            session.testsfailed += os.waitstatus_to_exitcode(status) != 0
        return True

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        """End a fork at once: what happens when a session ends belongs to the process before.

        Its fixtures were torn down with its last test.  What plugins tell of a run takes some of
        them longer than a module.
        """
        if self._in_child:
            reporter = session.config.pluginmanager.get_plugin("terminalreporter")
            if reporter is not None:
                reporter.flush()
            sys.stdout.flush()
            os._exit(int(exitstatus))


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
    """Register the hooks of this session, when asked to."""
    if os.environ.get("EVOSEARCH_VERIFY_APART"):
        config.pluginmanager.register(Forks(), "evosearch-apart")
