"""Writes tests, verifies them in other processes, and measures them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.evidence import NO_REPLAYS
from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.evidence import replays
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.found import Written
from pytest_evosearch.engine.timetable import catching_up_seconds
from pytest_evosearch.engine.timetable import measuring_seconds
from pytest_evosearch.engine.writing import corpus_of
from pytest_evosearch.engine.writing import executed_lines
from pytest_evosearch.engine.writing import measured
from pytest_evosearch.engine.writing import runs_of_tests
from pytest_evosearch.engine.writing import suite_measurement
from pytest_evosearch.engine.writing import write_tests
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.settings.pace import shortest_first_run
from pytest_evosearch.sut.shared_storage import shares_database
from pytest_evosearch.sut.shortcuts.password_hashing import has_hashed
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import circumstances_for
from pytest_evosearch.write.verification.extent import Extent
from pytest_evosearch.write.verification.fixture_trial import FixtureFailure
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.measure import Measurement
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.written_suite import WrittenSuite


class VerifiedWriting:
    """Writes the tests, releases the application, verifies the tests and measures them."""

    name = "write"
    is_optional = False

    def skipped_because(self, found: Found) -> str:
        """Skip writing where no test was harvested."""
        is_ready = found.harvest is not None and found.ready.fence.worst is None
        return "" if is_ready else "no test was minimised"

    def run(self, found: Found) -> None:
        """Write what can be verified in time; keep what ran once without failing."""
        context = found.context
        restore = context.host.put_databases_back
        runs = replace(runs_of_tests(context.settings, found.ready), restore=restore)
        process = found.held.enter_context(tidied(runs, context.safe))
        assert found.harvest is not None
        found.context.early.read()
        found.context.early.leave()
        found.written = _Writing(found, found.harvest, process).written()


class _Writing:
    """The work of one phase; the application is released before the first run of the tests."""

    def __init__(self, found: Found, harvest: Harvest, process: PytestProcess) -> None:
        self._found = found
        self._harvest = harvest
        self._process = process
        self._measurement = suite_measurement(found.ready, process, self._measuring_time)
        self._interpreters = _interpreters(found, process, self._measurement)
        self._replayed: Replays | None = None

    def _measuring_time(self) -> float:
        return measuring_seconds(self._found.context.timetable)

    def written(self) -> Written:
        """Write the tests, and return what was kept and what it covers."""
        suite = self._suite()
        if self._measurement is not None:
            self._found.context.begin("measure")
        coverage = self._coverage() if suite.files else None
        return Written(self._process, suite, coverage, self._replays())

    def _suite(self) -> WrittenSuite:
        found = self._found
        return write_tests(
            found.context.settings,
            found.ready,
            found.specimens,
            corpus_of(self._harvest, found.ready),
            self._verified,
            self._executed,
            found.context.safe,
            cut_short=found.is_cut_short,
            tries=self._tried,
        )

    def _coverage(self) -> SuiteCoverage | None:
        ready = self._found.ready
        given = self._found.context.settings, ready, self._measurement
        return ready.fence.run("the coverage of the tests", measured, *given, otherwise=None)

    def _replays(self) -> Replays:
        """Execute tests once for what the reports show of them."""
        if self._replayed is None:
            found = self._found
            plan = found.context.timetable.plan
            seconds = plan.replay_seconds
            given = found.ready, found.loop, found.specimens, self._harvest.why_untested
            fault_seconds = seconds if plan.is_timely else math.inf
            self._replayed = found.ready.fence.run(
                "what reports show of tests",
                replays,
                *given,
                seconds,
                fault_seconds,
                otherwise=NO_REPLAYS,
            )
        return self._replayed

    def _let_go(self) -> None:
        """Release the application here: from now on the tests run in other processes."""
        if self._replayed is None:
            self._replays()
            state = self._found.ready.state
            state()  # the written tests find files as the search found them
            state.keeper.leave_servers()
            # The copies of this process hold what fixtures have opened: a port, a lock.
            self._found.ready.forks.close()
            self._found.context.host.release()

    def _verified(self, folder: Path, tests: int) -> Verdict:
        """Verify the tests on disk."""
        self._let_go()
        verdict = self._interpreters(folder, tests)
        absence = self._found.ready.handle.absence() if verdict.failures else ""
        return Verdict(broken=absence) if absence else verdict

    def _tried(self, module: Path) -> Sequence[FixtureFailure]:
        """Run a module that requests the written fixtures; return what fails in these."""
        self._let_go()
        return self._interpreters.tried(module)

    def _executed(self, folder: Path) -> AbstractSet[TargetId]:
        """Return the lines that the tests on disk execute."""
        self._let_go()
        return executed_lines(self._found.ready, self._measurement, folder)


def _interpreters(
    found: Found, process: PytestProcess, measurement: Measurement | None
) -> FreshInterpreters:
    timetable = found.context.timetable
    least = timetable.least_of_verifying
    limits = Limits(
        timetable.verifying(),
        least,
        max(least, shortest_first_run(timetable.pace))
        if process.sharing
        else timetable.first_run_seconds,
        catching_up_seconds(timetable) if has_hashed() or process.sharing else 0.0,
    )
    beside = measurement.take if measurement is not None else None
    is_once = found.context.settings.tunable("plan.circumstances") == "first"
    every = circumstances_for(has_own_tests=found.ready.handle.tests.exist)
    interpreters = FreshInterpreters(
        process,
        (PLAIN,) if is_once else every,
        report=found.context.report,
        beside=beside,
        limits=limits,
        renounced=[one for one in every if one is not PLAIN] if is_once else (),
        extent=Extent(found.context.early.proven),
    )
    if shares_database(found.ready.handle, found.context.settings.rootdir):
        interpreters.width = 1  # simultaneous runs would wait for one another, and fail
    return interpreters
