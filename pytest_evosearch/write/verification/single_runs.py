"""Executes one run of written tests, and reads what it says."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.settings.phase_shares import HANGING_SECONDS
from pytest_evosearch.settings.phase_shares import OWN_SUITE_SECONDS
from pytest_evosearch.settings.phase_shares import SECONDS_PER_TEST
from pytest_evosearch.settings.phase_shares import START_UP_SECONDS
from pytest_evosearch.settings.time_plan import LEAST_RUN_SECONDS
from pytest_evosearch.write.stage import place_of
from pytest_evosearch.write.verification.circumstances import CAUGHT_UP
from pytest_evosearch.write.verification.circumstances import HURRIED
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import WATCHED
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.circumstances import Scope
from pytest_evosearch.write.verification.extent import Extent
from pytest_evosearch.write.verification.fixture_trial import TRACEBACKS
from pytest_evosearch.write.verification.fixture_trial import FixtureFailure
from pytest_evosearch.write.verification.fixture_trial import is_of_fixture
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.limits import seconds_variable
from pytest_evosearch.write.verification.module_choice import dealt_out
from pytest_evosearch.write.verification.module_choice import modules_of
from pytest_evosearch.write.verification.plain_run import PlainRun
from pytest_evosearch.write.verification.plain_run import failures_of_fixtures
from pytest_evosearch.write.verification.plain_run import modules_failing_alike
from pytest_evosearch.write.verification.plain_run import run_plainly
from pytest_evosearch.write.verification.plain_run import verdict_of
from pytest_evosearch.write.verification.proven_tests import fingerprints
from pytest_evosearch.write.verification.proven_tests import left_out
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.shared_set_ups import Recorded
from pytest_evosearch.write.verification.shared_set_ups import run_with_shared_set_ups
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verdicts import read_verdict
from pytest_evosearch.write.verification.verdicts import too_late
from pytest_evosearch.write.verification.verdicts import with_causes
from pytest_evosearch.write.verification.verdicts import without_the_late

TESTS_IN_A_HURRY = 20
"""Number of tests from which the unchanged run is divided into parts where time is limited.

It is the slowest run (it has no shortcuts), and every other run waits for it. With enough time, all
tests run in one process, as they will for the user.
"""


@dataclass(frozen=True)
class Run:
    """One interpreter: the circumstances, and the tests to run."""

    circumstances: Circumstances
    targets: tuple[Path, ...]
    """Files to run; () for everything that the project collects."""

    @property
    def modules(self) -> list[Path]:
        """Return the modules that are run."""
        found = [modules_of(one) if one.is_dir() else [one] for one in self.targets]
        return [module for modules in found for module in modules]


def described_runs(runs: Sequence[Run]) -> str:
    """Name the circumstances of runs, in short."""
    names = list(dict.fromkeys(run.circumstances.name for run in runs))
    return names[0] if len(names) == 1 else f"under {len(names)} other circumstances"


@dataclass(frozen=True)
class SingleRuns:
    """Runs tests in an interpreter, as long as there is time, without what is proven."""

    process: PytestProcess
    limits: Limits
    extent: Extent

    def __call__(self, run: Run, folder: Path, tests: int) -> Verdict:
        """Run tests of `folder`, which has about so many, and return what that says."""
        if run.circumstances is PLAIN:
            return self._plainly(run, folder, tests)
        one, place = run.circumstances, place_of(folder)
        spared = self._spared(run, folder)
        if spared is None:  # all tests have held in these circumstances before
            self.extent.note(one, 0)
            return Verdict()
        beside = {} if run.targets or place is None else _instead_of(place, folder)
        beside = {**beside, **(HURRIED if self.limits.is_limited else {})}
        usual = START_UP_SECONDS + SECONDS_PER_TEST * tests if run.targets else OWN_SUITE_SECONDS
        allowed = self.limits.begin()
        if allowed < LEAST_RUN_SECONDS:
            return without_the_late(too_late(run.modules))
        began = monotonic()

        def execute(variables: Mapping[str, str], seconds: float) -> Recorded:
            limited = {**beside, **spared, **seconds_variable(seconds), **variables}
            return run_with_plugins(
                self.process,
                run.targets,
                min(usual, seconds + HANGING_SECONDS),
                environment={**one.environment, **limited},
                options=one.options,
                workers=one.workers,
            )

        sharing = self.process.sharing if run.targets and not one.workers else {}
        entries, code, output = run_with_shared_set_ups(execute, sharing, self.limits, allowed)
        self.limits.note(monotonic() - began)
        if not run.targets:
            self.extent.note(one, 0)
            if code is None:
                return Verdict()
            return _of_written(read_verdict(entries, code, output, one), folder)
        verdict = read_verdict(entries, code, output, one)
        if code is None and verdict.broken and allowed < usual:
            verdict = too_late(run.modules)  # it was loading all the time
        self.extent.note(one, verdict.left_out)
        return verdict if self.limits.is_first else without_the_late(verdict)

    def divided(
        self, one: Circumstances, folder: Path, tests: int, modules: Sequence[Path], width: int
    ) -> list[Run]:
        """Return the runs of tests in one circumstance, of which so many may run at once."""
        if one.workers and not self.process.has_workers:
            return []
        if one.scope is Scope.PROJECT:
            return [Run(one, ())]
        is_first = one in (PLAIN, CAUGHT_UP) and self.limits.is_limited
        if is_first and tests >= TESTS_IN_A_HURRY and min(width, len(modules)) > 1:
            return [Run(one, part) for part in dealt_out(modules, width)]
        every = modules_of(folder)
        return [Run(one, tuple(modules) if len(modules) < len(every) else (folder,))]

    def _plainly(self, run: Run, folder: Path, tests: int) -> Verdict:
        """Run tests with nothing of ours; repeat modules with failures with the plugins."""
        usual, allowed = START_UP_SECONDS + SECONDS_PER_TEST * tests, self.limits.begin()
        if allowed < LEAST_RUN_SECONDS:
            return too_late(run.modules) if self.limits.is_first else Verdict()
        found = run_plainly(self.process, run.targets, min(usual, allowed))
        verdict = self._judged_plainly(found, run, folder, tests, allowed < usual)
        if found.notice:
            return replace(verdict, notices=(*verdict.notices, found.notice))
        return verdict

    def _judged_plainly(
        self, found: PlainRun, run: Run, folder: Path, tests: int, is_limited: bool
    ) -> Verdict:
        verdict = verdict_of(found, run.modules, is_limited=is_limited)
        failing = any(is_of_fixture(one.problem) for one in found.cases)
        verdict = replace(verdict, in_fixtures=failing)
        alike = modules_failing_alike(found, run.modules)
        if alike and (at_fault := self.of_fixtures(alike[0])):
            return replace(verdict, fixtures=tuple(at_fault))  # no test is to blame for them
        self.extent.note(PLAIN, verdict.left_out)
        again = _to_explain(found, verdict, run)
        if again and self.limits.suffice_for(LEAST_RUN_SECONDS):
            verdict = with_causes(verdict, self(Run(WATCHED, again), folder, tests))
        elif found.is_unknown:
            verdict = too_late(run.modules)
        return verdict if self.limits.is_first else without_the_late(verdict)

    def of_fixtures(self, module: Path) -> Sequence[FixtureFailure]:
        """Run a module that requests fixtures, if there is time; return what fails in these."""
        allowed = self.limits.begin()
        if allowed < LEAST_RUN_SECONDS:
            return ()
        seconds = min(START_UP_SECONDS, allowed)
        found = run_plainly(self.process, [module], seconds, [TRACEBACKS])
        return failures_of_fixtures(found, module.with_name("conftest.py"))

    def _spared(self, run: Run, folder: Path) -> Mapping[str, str] | None:
        """Return the variables by which a run leaves out what is proven; None where all is.

        The whole suite is run in any case, as it is and with the project's own.
        """
        is_whole = run.circumstances in (WATCHED, CAUGHT_UP) or not run.targets
        if not self.extent.proven or is_whole:
            return {}
        known = fingerprints(folder, run.modules)
        proven = {test for test, one in known.items() if one in self.extent.proven}
        if known and len(proven) == len(known):
            return None
        return left_out(proven)


def _of_written(verdict: Verdict, folder: Path) -> Verdict:
    """Return the failures of written tests in a run of the whole project."""
    names = {path.name for path in modules_of(folder)}
    return Verdict(tuple(one for one in verdict.failures if one.file in names))


def _to_explain(found: PlainRun, verdict: Verdict, run: Run) -> tuple[Path, ...]:
    """Return what must run with the plugins: modules with failures, or all of them."""
    if found.needs_explanation or verdict.broken:
        return run.targets
    names = {one.file for one in verdict.failures if not one.late and not one.hung}
    known = tuple(module for module in run.modules if module.name in names)
    return known if names <= {module.name for module in known} else run.targets


def _instead_of(place: Path, stage: Path) -> dict[str, str]:
    """Return the variables by which a run of everything finds the tests that stand in `stage`."""
    return {"EVOSEARCH_VERIFY_STAGE": str(stage), "EVOSEARCH_VERIFY_PLACE": str(place)}
