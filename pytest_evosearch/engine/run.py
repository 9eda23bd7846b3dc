"""A whole run: prepare, search, harvest, write, and the outcome that reports are made of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch import __version__
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.events import Sink
from pytest_evosearch.engine.harvest import Harvest
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop import Statistics
from pytest_evosearch.engine.preparation import Prepared
from pytest_evosearch.engine.preparation import prepared
from pytest_evosearch.engine.search import SEARCH_SHARE
from pytest_evosearch.engine.search import make_loop
from pytest_evosearch.engine.summary import endpoint_rows
from pytest_evosearch.engine.summary import shown_path
from pytest_evosearch.engine.summary import summary
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings import Settings
from pytest_evosearch.write.specimen import Corpus
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.suite import WrittenSuite
from pytest_evosearch.write.suite import write_suite

HARVEST_FLOOR_SECONDS = 10.0
"""Minimisation may take this long even after the shortest budget: short tests are the point."""


def run(
    settings: Settings,
    host: Host,
    sinks: Sequence[Sink] = (),
    recording: Recording | None = None,
) -> Outcome:
    """Search the host's application and write its tests; what is found is never lost."""
    return Run(settings, host, sinks, recording).execute()


class Run:
    """One run from discovery to the outcome."""

    def __init__(
        self,
        settings: Settings,
        host: Host,
        sinks: Sequence[Sink],
        recording: Recording | None,
    ) -> None:
        self.settings = settings
        self.host = host
        self.sinks = sinks
        self.recording = recording

    def execute(self) -> Outcome:
        """Run every phase and return the outcome."""
        with self.host.quiet(), prepared(self.settings, self.host, self.recording) as ready:
            folder = output_folder(self.settings, ready)
            findings = {**ready.findings, "output": shown_path(folder, self.settings.rootdir)}
            self._emit(Discovered(findings))
            for notice in ready.notices:
                self._emit(Notice(notice))
            empty = Outcome(
                ExitReason.PLAN,
                self.settings.seed,
                findings=findings,
                notices=ready.notices,
                endpoints=endpoint_rows(ready, Statistics()),
                known_targets=ready.known_targets(),
            )
            if self.settings.plan:
                return empty
            check_writable(folder)
            return self._search_and_write(ready, folder, empty)

    def _emit(self, event: Event) -> None:
        for sink in self.sinks:
            sink(event)

    def _search_and_write(self, ready: Prepared, folder: Path, empty: Outcome) -> Outcome:
        loop = make_loop(self.settings, self.host, ready, self.sinks)
        self._emit(PhaseStarted("search"))
        reason = loop.run()
        self._emit(PhaseStarted("minimize"))
        harvest = Harvest(ready.executor, loop.archive, self._out_of_time(loop, reason))
        specimens = harvest.specimens()
        self._emit(PhaseStarted("write", f"{len(specimens)} tests"))
        suite = self._write(ready, folder, specimens, harvest.corpus())
        dropped = (*harvest.dropped, *(DroppedRow(name, why) for name, why in suite.dropped))
        finished = replace(empty, reason=reason, dropped=dropped)
        return summary(finished, ready, loop, specimens, suite)

    def _out_of_time(self, loop: SearchLoop, reason: ExitReason) -> Callable[[], bool]:
        """Bound the harvest of a budget of seconds; one of evaluations is bounded by counts."""
        budget = loop.meter.budget
        if budget.seconds is None:
            return lambda: self.host.stop_requested() not in (None, loop.interruption)
        allowed = max(HARVEST_FLOOR_SECONDS, (1 - SEARCH_SHARE) * budget.seconds)
        if reason is ExitReason.INTERRUPTED:
            allowed = HARVEST_FLOOR_SECONDS
        end = loop.meter.elapsed + allowed
        return lambda: loop.meter.elapsed > end

    def _write(
        self, ready: Prepared, folder: Path, specimens: Sequence[Specimen], corpus: Corpus
    ) -> WrittenSuite:
        return write_suite(
            specimens,
            support=ready.handle.support,
            users=ready.handle.users,
            folder=folder,
            root=self.settings.rootdir,
            faults=self.settings.faults,
            command=self.settings.command,
            version=__version__,
            python=sys.executable,
        )


def output_folder(settings: Settings, ready: Prepared) -> Path:
    """Return where the modules go: the option, or beside the conftest that defines the client."""
    if settings.output is not None:
        return settings.output
    support = ready.handle.support
    if support.directory:
        return Path(support.directory) / "evosearch"
    tests = settings.rootdir / "tests"
    return (tests if tests.is_dir() else settings.rootdir) / "evosearch"
