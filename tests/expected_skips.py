"""The tests that CI may skip, each with its reason; any other skip fails there (`CI=true`).

A skipped test checks nothing, and the list of skips of a green run is not read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import Any

import pytest
from tiers import QUICK
from tiers import SLOW

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@dataclass(frozen=True)
class ExpectedSkip:
    """Some tests, the reason that they give, and why CI cannot do without the skip."""

    tests: str
    """A pattern of node ids."""
    reason: str
    """A pattern of the reason that the test gives."""
    because: str
    applies: bool = True
    """Whether these circumstances make the tests skip; where they do not, the tests must run."""
    tier: str = QUICK
    """The expression of marks that chooses the tests; a run of the other tier tells nothing."""

    def covers(self, nodeid: str, reason: str) -> bool:
        """Say whether this entry is about a skip."""
        return self.applies and fnmatchcase(nodeid, self.tests) and fnmatchcase(reason, self.reason)


EXPECTED_SKIPS = (
    ExpectedSkip(
        "tests/plugin/test_plugin_end_to_end_refusals.py::test_read_only_output_folder",
        "root may write everywhere",
        "CI runs as root, which no mode of a folder keeps from writing",
        applies=IS_ROOT,
    ),
    ExpectedSkip(
        "tests/instrument_pitfalls/test_instrument_pitfalls.py::*",
        "needs Python (3, 12)",
        "newer syntax; .ci/run runs these tests with a newer Python, too",
        applies=sys.version_info < (3, 12),
    ),
    *(
        ExpectedSkip(
            f"tests/unit/sut/{room}/*",
            "could not import 'MySQLdb'*",
            "mysqlclient is built against the headers of MySQL, which not every machine has",
            applies=find_spec("MySQLdb") is None,
            tier=tier,
        )
        for room, tier in (("database_servers", QUICK), ("fixture_texts", SLOW), ("queries", QUICK))
    ),
)


class SkipJudge:
    """Turns skips that are not expected into failures, and fails a whole run for stale entries."""

    def __init__(self, entries: Sequence[ExpectedSkip]) -> None:
        self._entries = entries
        self._used: set[ExpectedSkip] = set()
        self._stale: list[ExpectedSkip] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, None]:
        """Judge the skip of a test."""
        outcome = yield
        self._judge(outcome.get_result())

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, Any, None]:
        """Judge the skip of a whole module."""
        outcome = yield
        self._judge(outcome.get_result())

    def _judge(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        reason = _reason_of(report)
        if reason is not None and self._entry_of(report.nodeid, reason) is None:
            report.outcome = "failed"
            report.longrepr = (
                f"skipped in CI: {reason}\nInstall what is missing ([dev] or .ci/run), "
                "or enter the skip with its reason in tests/expected_skips.py."
            )

    def _entry_of(self, nodeid: str, reason: str) -> ExpectedSkip | None:
        return next((entry for entry in self._entries if entry.covers(nodeid, reason)), None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which entries tests need; with xdist the reports of all workers arrive here."""
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note which entries modules need."""
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        reason = _reason_of(report)
        entry = None if reason is None else self._entry_of(report.nodeid, reason)
        if entry is not None:
            self._used.add(entry)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the run for entries that no skip needed; only a whole run can tell."""
        config = session.config
        is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
        chosen = config.option.markexpr
        is_chosen = chosen not in ("", QUICK, SLOW) or config.option.keyword or session.shouldstop
        if hasattr(config, "workerinput") or not is_whole or is_chosen:
            return
        ran = [each for each in self._entries if chosen in ("", each.tier)]
        self._stale = [each for each in ran if each.applies and each not in self._used]
        if self._stale and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the stale entries."""
        for entry in self._stale:
            line = f"tests/expected_skips.py: no test is skipped for {entry.tests}: {entry.reason}"
            terminalreporter.write_line(line, red=True)


def _reason_of(report: pytest.TestReport | pytest.CollectReport) -> str | None:
    """Return why a test or module was skipped; None for any other report, also of an xfail."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return None
    told = report.longrepr
    return (told[2] if isinstance(told, tuple) else str(told)).removeprefix("Skipped: ")
