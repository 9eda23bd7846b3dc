"""A whole run: the search, and all that follows it: questions, harvest, tests, reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.confirmation import confirm_freezes
from pytest_evosearch.engine.confirmation import freezes_of
from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.evidence import replays
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.inquiry import inquire
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.engine.search_run import CUT_SHORT
from pytest_evosearch.engine.search_run import SearchRun
from pytest_evosearch.engine.summary import summary
from pytest_evosearch.engine.writing import executed_lines
from pytest_evosearch.engine.writing import measured
from pytest_evosearch.engine.writing import shares_database_file
from pytest_evosearch.engine.writing import strength_of_suite
from pytest_evosearch.engine.writing import suite_measurement
from pytest_evosearch.engine.writing import write_tests
from pytest_evosearch.harvest.fetched_keys import FetchedKeys
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.report.files import PAGE
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.time_plan import HASTY_HARVEST_SECONDS
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.sut.documents.templates import template_text
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.writer import WrittenSuite


class WholeRun(SearchRun):
    """A run that writes what it finds."""

    def execute(self) -> Outcome:
        """Run every phase and return the outcome."""
        if self.settings.suite.mutants:
            require_library()
        return super().execute()

    def _harvest_and_write(
        self,
        ready: Prepared,
        loop: SearchLoop,
        reason: ExitReason,
        outcome: Outcome,
        resort: LastResort,
    ) -> Outcome:
        users = tuple(ready.handle.users)
        if reason not in CUT_SHORT:
            self._begin("inquire")
            left = self._minimizing_time(reason)
            inquire(self.settings, loop, lambda: left() <= 0, users)
        confirmation = confirm_freezes(ready, loop, self.timetable.plan.confirming_seconds)
        self._begin("minimize")
        limit = int(self.settings.tunable("minimize.evaluations"))
        time_left = self._minimizing_time(reason)
        keys = FetchedKeys(ready.constants())
        plan = self.timetable.plan
        overtime = 0.0 if reason is ExitReason.INTERRUPTED else plan.minimize_overtime
        tell = self._tell_count
        harvest = Harvest(
            ready.executor,
            loop.archive,
            time_left,
            limit,
            tell,
            users,
            keys,
            ready.problem.callers,
            self.extensions.stability,
            overtime,
            ready.permanence,
            ready.problem.model.described,
            plan.minimize_grace if reason is not ExitReason.INTERRUPTED else math.inf,
            self.timetable.most_tests,
            freezes_of(ready, loop),
        )
        specimens = harvest.specimens()
        if ready.handle.outside:
            loop.statistics.forget_freezes(harvest.gone)
        # Where it is known beforehand that nothing restores the state, it is not checked.
        told = bool(ready.handle.unrestored)
        disagreements = [] if told else resort.check.notices(resort.hindrance)
        self._begin("write")
        corpus = replace(harvest.corpus(), wording=Wording.of(template_text(ready.handle.app)))
        wants_strength = self.settings.suite.mutants > 0 and reason not in CUT_SHORT
        recipe = ready.handle.support.recipe
        unset = recipe.variables if recipe is not None else ()
        runs = PytestProcess(
            self.settings.rootdir, self.settings.command_line.arguments, unset=unset
        )
        cut_short, why = reason in CUT_SHORT, harvest.why_untested
        with tidied(runs, self.safe) as process:
            suite, coverage, replayed = self._write(
                ready, loop, specimens, corpus, process, why, cut_short=cut_short
            )
            if suite.files and wants_strength:
                outcome = self._with_strength(outcome, ready, process)
        dropped = (*harvest.dropped, *(DroppedRow(name, why) for name, why in suite.dropped))
        unread = (*ready.validators.notices, *confirmation.notices())
        notices = (*outcome.notices, *ready.state.notices(), *unread, *disagreements)
        notices = (*notices, *ready.offspring.notices(), *ready.admitted.notices())
        notices += tuple(ready.queries.notices()) if ready.queries is not None else ()
        if suite.notice:
            notices = (*notices, suite.notice)
        if suite.files and (endless := ready.endless_threads()):  # the fixtures are torn down
            notices = (*notices, endless)
        findings = {**outcome.findings, **resort.findings, **ready.admitted.findings}
        finished = replace(
            outcome, reason=reason, dropped=dropped, notices=notices, findings=findings
        )
        root = self.settings.rootdir
        return self._reported(
            summary(finished, ready, loop, specimens, suite, coverage, replayed, root)
        )

    def _write(
        self,
        ready: Prepared,
        loop: SearchLoop,
        specimens: Sequence[Specimen],
        corpus: Corpus,
        process: PytestProcess,
        why_untested: Callable[[TargetId], str],
        *,
        cut_short: bool,
    ) -> tuple[WrittenSuite, SuiteCoverage | None, Replays]:
        """Write the tests, let go of the application, verify them, measure what they cover."""
        measurement = suite_measurement(ready, process, self._measuring_time())
        beside = measurement.take if measurement is not None else None
        limits = Limits(
            self.timetable.verifying(),
            self.timetable.least_of_verifying,
            self.timetable.first_run_seconds,
        )
        is_once = self.settings.tunable("plan.circumstances") == "first"
        interpreters = FreshInterpreters(
            process,
            (PLAIN,) if is_once else ALL,
            tell=self._tell,
            beside=beside,
            limits=limits,
            renounced=[one for one in ALL if one is not PLAIN] if is_once else (),
        )
        if shares_database_file(ready.handle, self.settings.rootdir):
            interpreters.width = 1  # runs at once would wait for one another, and fail
        replayed: list[Replays] = []
        asked = ready, loop, specimens, why_untested, self.timetable.plan.replay_seconds

        def let_go() -> None:
            """Set nothing up here any more: from now on the tests run in other processes."""
            if not replayed:
                replayed.append(replays(*asked))
                ready.state()  # the written tests find files as the search found them
                ready.state.keeper.leave_servers()
                self.host.release()

        def verifier(folder: Path, tests: int) -> Verdict:
            """Verify what lies on disk by now."""
            let_go()
            verdict = interpreters(folder, tests)
            absence = ready.handle.absence() if verdict.failures else ""
            return Verdict(broken=absence) if absence else verdict

        def executed(folder: Path) -> AbstractSet[TargetId]:
            """Tell which lines the tests execute that lie on disk by now."""
            let_go()
            return executed_lines(ready, measurement, folder)

        suite = write_tests(
            self.settings,
            ready,
            specimens,
            corpus,
            verifier,
            executed,
            self.safe,
            cut_short=cut_short,
        )
        if measurement is not None:
            self._begin("measure")
        coverage = measured(self.settings, ready, measurement) if suite.files else None
        if not replayed:
            replayed.append(replays(*asked))
        return suite, coverage, replayed[0]

    def _with_strength(self, outcome: Outcome, ready: Prepared, process: PytestProcess) -> Outcome:
        """Return `outcome` with the mutation score of what was written, or why there is none."""
        self._begin("mutate")
        score = strength_of_suite(
            self.settings, ready, process, lambda: self.host.stop_requested() is not None
        )
        if isinstance(score, MutationScore):
            return replace(outcome, mutation=score)
        return replace(outcome, notices=(*outcome.notices, f"no mutation score: {score}"))

    def _reported(self, outcome: Outcome) -> Outcome:
        """Write the reports; one that cannot be written costs a notice and nothing else."""
        outcome = replace(outcome, algorithm=self.settings.algorithm)
        folder = report_folder(self.settings)
        written, failed = write_reports(outcome, folder, self.settings.rootdir)
        page = next((path for path in written if path.name == PAGE), None)
        shown = relative(page, self.settings.rootdir) if page is not None else ""
        return replace(outcome, report=shown, notices=(*outcome.notices, *failed))

    def _measuring_time(self) -> Callable[[], float]:
        """Return what tells how long a measurement may take: of a part of the tests it is wrong.

        So it may take longer than what is beside it.
        """
        left, least = self.timetable.verifying(), self.timetable.least_of_verifying
        return lambda: max(0.0, left()) + least

    def _minimizing_time(self, reason: ExitReason) -> Callable[[], float]:
        """Return what tells how long tests may still be minimised; counts bound evaluations."""
        plan, timetable = self.timetable.plan, self.timetable
        now = timetable.now
        if reason is ExitReason.INTERRUPTED:
            return timetable.until(now + HASTY_HARVEST_SECONDS)
        if plan.seconds is None:
            return lambda: math.inf if self.host.stop_requested() is None else 0.0
        if not plan.is_timely:
            return timetable.until(now + plan.minimize_seconds)
        return lambda: plan.end_of_minimizing(now, timetable.pace) - timetable.now

    def _tell_count(self, done: int, total: int) -> None:
        self.timetable.note(tests=total)
        self._tell(f"{done} of {total}")

    def _tell(self, detail: str) -> None:
        self._emit(PhaseProgressed(detail, self.timetable.share, self.timetable.left))
