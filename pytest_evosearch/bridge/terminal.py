"""Shows events and the outcome on the terminal, with lines from `report.terminal_lines`."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_evosearch.bridge.capture import Voice
from pytest_evosearch.bridge.internals import add_statistics
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import FaultFound
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Progress
from pytest_evosearch.core.isolation import os
from pytest_evosearch.report.github import annotation_lines
from pytest_evosearch.report.github import is_github_actions
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.report.terminal_lines import PREFIX
from pytest_evosearch.report.terminal_lines import SETTING_UP
from pytest_evosearch.report.terminal_lines import discovery_lines
from pytest_evosearch.report.terminal_lines import phase_line
from pytest_evosearch.report.terminal_lines import progress_line
from pytest_evosearch.report.terminal_lines import summary_lines

REWRITE_INTERVAL = 0.2
"""Seconds between two updates of the progress line: five a second look like motion."""
DRAIN_INTERVAL = 5.0
"""Seconds after which captured output is discarded."""
LONGEST_SILENCE = 30.0
"""Seconds after which a log gets a line that says a phase after the search still runs."""
STEPS = 10
"""Progress lines of a whole search on a terminal that cannot rewrite a line."""


class TerminalSink:
    """Consumes events and writes lines; silent without pytest's terminal plugin."""

    def __init__(self, reporter: Any, voice: Voice, verbosity: int, plan: bool = False) -> None:
        self._reporter = reporter
        self._voice = voice
        self._verbosity = verbosity
        self._plan = plan
        self._rewrites = bool(getattr(reporter, "isatty", False)) and not os.environ.get("CI")
        self._shown_at = float("-inf")
        self._drained_at = 0.0
        self._phase_name = ""
        self._spoken_at = monotonic()
        self._step = -1
        self._line_open = False
        self.shown: set[str] = set()
        """Notices that were shown; each is shown once."""
        self._handlers: dict[type[Event], Callable[[Any], None]] = {
            Notice: self._notice,
            Discovered: self._discovered,
            Progress: self._progress,
            PhaseStarted: self._phase,
            PhaseProgressed: self._phase_progress,
            FaultFound: self._fault,
        }

    def __call__(self, event: Event) -> None:
        """Show `event`, if this verbosity includes it."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def begin(self) -> None:
        """Show that the command is working: fixtures and imports may take long."""
        if self._reporter is None or self._verbosity < 0:
            return
        if self._rewrites:
            self._rewrite(SETTING_UP)
        else:
            self.write([SETTING_UP])

    def write(self, lines: Sequence[str]) -> None:
        """Write whole lines at once."""
        if self._reporter is None or not lines:
            return
        with self._voice.speak():
            self._close_line()
            for line in lines:
                self._reporter.write_line(line)
            self._reporter.flush()  # a pipe, for example of a CI job, would hold the line back
        self._spoken_at = monotonic()

    def finish(self) -> None:
        """Erase the progress line, so that the next text begins on an empty line."""
        if self._line_open and self._reporter is not None:
            with self._voice.speak():
                self._close_line()

    def _close_line(self) -> None:
        if self._line_open:
            self._reporter.rewrite("", erase=True)
            self._reporter.rewrite("")  # back to the first column
            self._line_open = False

    def _rewrite(self, line: str) -> None:
        with self._voice.speak():
            # A line that wraps cannot be rewritten, because only its last row would be.
            self._reporter.rewrite(line[: _columns() - 1], erase=True)
        self._line_open = True
        self._spoken_at = monotonic()

    def _notice(self, event: Notice) -> None:
        if self._verbosity >= 0 and event.text not in self.shown:
            self.shown.add(event.text)
            self.write([f"{PREFIX}{event.text}"])

    def _discovered(self, event: Discovered) -> None:
        if self._verbosity >= 0 or self._plan:
            self.write(discovery_lines(event.findings))

    def _progress(self, event: Progress) -> None:
        if event.elapsed - self._drained_at >= DRAIN_INTERVAL:
            self._drained_at = event.elapsed
            self._voice.drain()
        if self._reporter is None or self._verbosity < 0:
            return
        if self._phase_name:
            self._phase_progress(PhaseProgressed(counted(event.faults, "fault"), *_shown(event)))
        elif self._rewrites:
            if event.elapsed - self._shown_at >= REWRITE_INTERVAL:
                self._shown_at = event.elapsed
                self._rewrite(progress_line(event, _columns()))
        elif int(event.share * STEPS) > self._step:
            self._step = int(event.share * STEPS)
            self.write([progress_line(event)])

    def _phase(self, event: PhaseStarted) -> None:
        if event.name == "search" or self._verbosity < 0:
            return
        self._phase_name = event.name
        line = phase_line(event.name, event.detail, event.share, event.left)
        if not self._rewrites:
            self.write([line])
        elif self._reporter is not None:
            self._rewrite(line)
            self._spoken_at = float("-inf")  # the first detail says more than the bare name

    def _phase_progress(self, event: PhaseProgressed) -> None:
        """Rewrite the line of the phase; in a log, print from time to time that it still runs."""
        if self._reporter is None or self._verbosity < 0:
            return
        silent = monotonic() - self._spoken_at
        if self._rewrites and silent >= REWRITE_INTERVAL:
            self._rewrite(phase_line(self._phase_name, event.detail, event.share, event.left))
        elif not self._rewrites and silent >= LONGEST_SILENCE:
            self.write([phase_line(self._phase_name, event.detail, event.share, event.left)])

    def _fault(self, event: FaultFound) -> None:
        if self._verbosity >= 1:
            message = event.message.strip().partition("\n")[0]
            self.write([f"{PREFIX}fault {event.endpoint} {event.kind} {event.position} {message}"])


def _shown(event: Progress) -> tuple[float | None, float]:
    """Return the share of the command that is done, and the seconds left, where both are known."""
    return (None, math.inf) if event.left is None else (event.share, event.left)


def _columns() -> int:
    return shutil.get_terminal_size().columns


def verbosity_of(config: pytest.Config) -> int:
    """Return the number of ``-v`` minus the number of ``-q``."""
    verbosity: int = config.getoption("verbose", 0) or 0
    return verbosity


def terminal_sink(config: pytest.Config, voice: Voice, plan: bool) -> TerminalSink:
    """Make the sink that writes through pytest's own reporter."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return TerminalSink(reporter, voice, verbosity_of(config), plan)


def show_summary(reporter: Any, outcome: Outcome, verbosity: int) -> None:
    """Write the summary section."""
    lines = summary_lines(outcome, verbosity)
    if verbosity >= 0:
        reporter.section("evosearch")
    for line in lines:
        reporter.write_line(line)
    if is_github_actions(os.environ):
        for line in annotation_lines(outcome):
            reporter.write_line(line)


def count_generated(reporter: Any, outcome: Outcome) -> None:
    """Make the last line say how many tests were generated."""
    if outcome.tests:
        add_statistics(reporter, "generated", outcome.tests)
