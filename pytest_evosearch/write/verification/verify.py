"""Runs the written tests in fresh interpreters: unchanged, and in other circumstances.

The unchanged run has nothing of ours in its process (`plain_run`). Where time is
limited, many tests are divided into as many parts as there are processors. Other circumstances show
tests that depend on them. After a repair, only failures run again. In the unchanged run, these are
the rewritten modules until they hold, and then all modules once more. In other circumstances, these
are the circumstances with failures, with the rewritten modules.

When the unchanged tests hold, the other runs start at once, as many as there are processors, and if
possible two circumstances in one run. Runs may disturb each other (a file, a port). So a failure
counts when it happens again in a run by itself, or in one of several further runs. Failures of the
project's own fixtures are reported, and tests are not blamed for them
(`write.verification.bearing`).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.settings.phase_shares import OWN_SUITE_SECONDS
from pytest_evosearch.settings.phase_shares import SECONDS_PER_TEST
from pytest_evosearch.settings.phase_shares import START_UP_SECONDS
from pytest_evosearch.settings.time_plan import LEAST_RUN_SECONDS
from pytest_evosearch.write.verification.bearing import Bearing
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import CAUGHT_UP
from pytest_evosearch.write.verification.circumstances import LENIENT
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import SOON
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.circumstances import Scope
from pytest_evosearch.write.verification.circumstances import blamed_name
from pytest_evosearch.write.verification.circumstances import elements
from pytest_evosearch.write.verification.circumstances import joined_where_possible
from pytest_evosearch.write.verification.extent import Extent
from pytest_evosearch.write.verification.fixture_trial import FixtureFailure
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.module_choice import changed_modules
from pytest_evosearch.write.verification.module_choice import failing_modules
from pytest_evosearch.write.verification.module_choice import has_other_fixtures
from pytest_evosearch.write.verification.module_choice import modules_of
from pytest_evosearch.write.verification.module_choice import texts_of_suite
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import Entry
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.simultaneous import run_at_once
from pytest_evosearch.write.verification.single_runs import Run
from pytest_evosearch.write.verification.single_runs import SingleRuns
from pytest_evosearch.write.verification.single_runs import described_runs
from pytest_evosearch.write.verification.tidying import tidy
from pytest_evosearch.write.verification.verdicts import Test
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verdicts import blamable
from pytest_evosearch.write.verification.verdicts import joined_verdicts
from pytest_evosearch.write.verification.verdicts import judged
from pytest_evosearch.write.verification.verdicts import name_of
from pytest_evosearch.write.verification.verdicts import test_of
from pytest_evosearch.write.verification.verdicts import tests_of
from pytest_evosearch.write.verification.verdicts import unexplained
from pytest_evosearch.write.verification.verdicts import without_failures
from pytest_evosearch.write.verification.verdicts import without_the_late

PROOFS = 4
"""Further runs in which a test must hold that failed once and then held."""


Verifier: TypeAlias = Callable[[Path, int], Verdict]
"""Runs the tests of a folder (about so many of them), and decides which are reliable."""


@dataclass
class FreshInterpreters:
    """The verifier of one suite; from the second call on, it repeats only failures."""

    process: PytestProcess
    circumstances: Sequence[Circumstances] = ALL
    report: Callable[[str], None] = lambda _circumstances: None
    """Called before runs with a description of them; they may take minutes."""
    width: int = field(default_factory=processors)
    """How many interpreters run at once."""
    beside: Callable[[Path], None] | None = None
    """Called once with the folder: in a separate thread while other runs are active, or after them.

    It comes after them where only one process runs at once: samples go first.
    """
    held: dict[Path, bytes] = field(default_factory=dict)
    """Contents of modules that held in their last run, in any circumstance."""
    bearing: Bearing | None = None
    """Knows in which circumstances the project itself works; None until something fails."""
    limits: Limits = field(default_factory=Limits)
    extent: Extent = field(default_factory=Extent)
    renounced: Sequence[Circumstances] = ()
    """Further circumstances that the user does not want.

    The tests say that they were not run in them.
    """
    _asked: Sequence[Circumstances] = field(init=False)

    def __post_init__(self) -> None:
        """Remember the circumstances for the tests, if there is time."""
        self._asked = tuple(self.circumstances)

    @property
    def _run(self) -> SingleRuns:
        return SingleRuns(self.process, self.limits, self.extent)

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run `folder` in all remaining circumstances, first unchanged, while there is time."""
        began = monotonic()
        verdict = self._verdict(folder, tests)
        modules = modules_of(folder)
        share = len(failing_modules(verdict, modules)) / max(1, len(modules))
        is_last = not self.limits.suffice_for_repetition(share * (monotonic() - began))
        wanted = (*self._asked, *self.renounced)
        possible = [one for one in wanted if self.process.has_workers or not one.workers]
        return replace(verdict, is_last=is_last, extent=self._extent(possible, tests))

    def tried(self, module: Path) -> Sequence[FixtureFailure]:
        """Run a module that requests the fixtures beside it; return what fails in these."""
        if not self.held:
            self.process.find_bytecode()
        self.process.forget_bytecode(module.parent)
        return self._run.of_fixtures(module)

    def _extent(self, possible: Sequence[Circumstances], tests: int) -> str:
        if self.renounced:
            return self.extent.described(possible, tests, "they were not run")
        return self.extent.described(possible, tests) if self.limits.is_limited else ""

    def _verdict(self, folder: Path, tests: int) -> Verdict:
        """Run `folder` in all remaining circumstances, first unchanged."""
        if not self.held:
            self.process.find_bytecode()
        self.process.forget_bytecode(folder)
        texts = texts_of_suite(folder)
        if has_other_fixtures(texts, self.held):  # what is new may fail wherever tests run
            self.circumstances = self._asked
        plain = [one for one in self.circumstances if one is PLAIN]
        others = [one for one in self.circumstances if one is not PLAIN]
        changed = changed_modules(texts, self.held)
        notices: tuple[str, ...] = ()
        if plain:
            verdicts = self._plain_verdicts(plain, folder, tests, changed)
            # When unchanged tests fail, other runs would mostly fail for these reasons, too.
            if any(one.failures or one.broken or one.unfinished for one in verdicts):
                self.held = without_failures(texts, verdicts)
                return joined_verdicts(verdicts)
            notices = joined_verdicts(verdicts).notices
            if 0 < len(changed) < len(modules_of(folder)):
                others += plain
            changed = []
        if not self.limits.suffice_for(LEAST_RUN_SECONDS):
            self.held = texts
            return Verdict(notices=notices)
        verdicts = self._verdicts_of_others(others, folder, tests, changed)
        verdicts = [
            self._held_against_tests(one, verdict, folder, tests)
            for one, verdict in zip(others, verdicts, strict=True)
        ]
        self.held = without_failures(texts, verdicts)
        joined = joined_verdicts(verdicts)
        if not joined.broken:
            pairs = zip(others, verdicts, strict=True)
            self.circumstances = [one for one, found in pairs if found.failures or found.crowded]
        return replace(joined, notices=(*notices, *joined.notices))

    def _plain_verdicts(
        self, plain: Sequence[Circumstances], folder: Path, tests: int, changed: Sequence[Path]
    ) -> list[Verdict]:
        tidy(self.process)  # a database that another run has made may be in any state
        with self.limits.first():
            found = self._verdicts(plain, folder, tests, changed)
            return [self._caught_up(verdict, folder, tests) for verdict in found]

    def _caught_up(self, verdict: Verdict, folder: Path, tests: int) -> Verdict:
        """Return `verdict` with cheaper runs of modules for which there was no time."""
        late = {one.file for one in verdict.failures if one.late}
        modules = [module for module in modules_of(folder) if module.name in late]
        if not modules or self.limits.seconds_of_rest < LEAST_RUN_SECONDS:
            return verdict
        with self.limits.rest():
            (again,) = self._verdicts([CAUGHT_UP], folder, tests, modules)
        known = without_the_late(verdict).failures
        further = [one for one in again.failures if test_of(one) not in tests_of(known)]
        return replace(again, failures=(*known, *further))

    def _held_against_tests(
        self, one: Circumstances, verdict: Verdict, folder: Path, tests: int
    ) -> Verdict:
        """Return `verdict` without failures that the project's own fixtures cause; report those.

        The excused tests must hold in each element of `one` in which the project itself works.
        """
        if not verdict.failures or one is PLAIN or one.scope is Scope.PROJECT:
            return verdict
        modules = failing_modules(verdict, modules_of(folder))
        bearing = self._bearing(folder, tests)
        spared = bearing.excused(blamable(verdict), modules, one)
        if not spared:
            return verdict
        kept = [failure for failure in verdict.failures if name_of(failure) not in spared]
        why = next(iter(spared.values()))
        notice = f"the project itself fails {blamed_name(one)} ({why}): "
        further: list[str] = []
        for element in elements(one):
            (found,) = self._verdicts([element], folder, tests, modules)
            ours = tuple(one for one in found.failures if name_of(one) in spared)
            held = self._held_against_tests(element, Verdict(ours), folder, tests)
            kept += held.failures
            further += held.notices if element is not SOON else ()
        further = further or [f"{notice}it does not count against the written tests"]
        return replace(verdict, failures=tuple(kept), notices=(*verdict.notices, *further))

    def _bearing(self, folder: Path, tests: int) -> Bearing:
        """Return the object that tests the project's own fixtures and tests."""
        if self.bearing is None:

            def execute(one: Circumstances, targets: Sequence[Path]) -> Sequence[Entry]:
                self.report(one.name)
                seconds = START_UP_SECONDS + SECONDS_PER_TEST * tests
                return run_with_plugins(
                    self.process,
                    targets,
                    seconds if targets else OWN_SUITE_SECONDS,
                    environment=one.environment,
                    options=one.options,
                )[0]

            self.bearing = Bearing(execute, folder)
        return self.bearing

    def _verdicts_of_others(
        self,
        others: Sequence[Circumstances],
        folder: Path,
        tests: int,
        modules: Sequence[Path],
    ) -> list[Verdict]:
        """Return one verdict for each of `others`; join circumstances first where possible."""
        tried = modules or modules_of(folder)
        fewer = joined_where_possible(others)
        found = self._verdicts(fewer, folder, tests, modules, self.beside)
        self.beside = None  # failed modules are rewritten, mostly more than once
        verdicts = dict(zip((id(one) for one in fewer), found, strict=True))
        known: set[Test] = set()
        for joint in [one for one in fewer if one.members]:
            verdict = verdicts[id(joint)]
            for member in joint.members:
                verdicts[id(member)] = verdict
                if verdict.failures or verdict.broken:
                    places = failing_modules(verdict, tried)
                    (verdicts[id(member)],) = self._verdicts([member], folder, tests, places)
            members = [verdicts[id(one)] for one in joint.members]
            doubtful = unexplained(verdict, members, known)
            known |= {test for one in members for test in tests_of(one.failures)}
            if doubtful.failures:
                first = joint.members[0]
                usual = LENIENT if first is STRICT else first
                verdicts[id(first)] = self._proved(Verdict(), doubtful, usual, folder, tests)
        return [verdicts[id(one)] for one in others]

    def _verdicts(
        self,
        circumstances: Sequence[Circumstances],
        folder: Path,
        tests: int,
        modules: Sequence[Path] = (),
        beside: Callable[[Path], None] | None = None,
    ) -> list[Verdict]:
        """Return one verdict for each circumstance, of all tests or of `modules`."""
        modules = modules or modules_of(folder)
        runs = [
            run
            for one in circumstances
            for run in self._run.divided(one, folder, tests, modules, self.width)
        ]
        if not runs:
            return [Verdict() for _one in circumstances]
        self.report(described_runs(runs))
        width = self.width if len(runs) > 1 else 1
        found = self._at_once(runs, folder, tests, beside)
        found = [
            self._forgiven(self._confirmed(verdict, run, folder, tests, width), run, folder, tests)
            for run, verdict in zip(runs, found, strict=True)
        ]
        pairs = list(zip(runs, found, strict=True))
        return [
            judged(one, [verdict for run, verdict in pairs if run.circumstances is one], tests)
            for one in circumstances
        ]

    def _at_once(
        self,
        runs: Sequence[Run],
        folder: Path,
        tests: int,
        beside: Callable[[Path], None] | None,
    ) -> list[Verdict]:
        """Return the verdict of each run, with other work `beside` them, or after them."""
        follows = beside is not None and self.width == 1
        self.limits.expect(len(runs) + (beside is not None and not follows), self.width)
        tasks: list[Callable[[], Verdict]]
        tasks = [partial(self._run, run, folder, tests) for run in runs]
        waiting = partial(self.report, described_runs(runs))
        if beside is None:
            return run_at_once(tasks, self.width, self.process.end_all, waiting)
        if follows:
            self.limits.keep_for_measuring()
            verdicts = run_at_once(tasks, 1, self.process.end_all)
            beside(folder)
            return verdicts

        def something_else() -> Verdict:
            self.limits.begin()
            beside(folder)
            return Verdict()

        together = [something_else, *tasks]
        return run_at_once(together, self.width, self.process.end_all, waiting)[1:]

    def _confirmed(
        self, verdict: Verdict, run: Run, folder: Path, tests: int, width: int
    ) -> Verdict:
        """Return a good `verdict` of a run beside others, otherwise the verdict of a run alone.

        If the two differ, the runs disturb one another, and from then on each runs by itself.
        """
        if (not verdict.failures and not verdict.broken) or run.circumstances.members:
            return verdict
        if verdict.is_late or width == 1 or not self.limits.suffice_for(self.limits.least):
            return verdict
        self.report(run.circumstances.name)
        # Runs at once may leave a file in a state that no single run would.
        tidy(self.process)
        alone = self._run(run, folder, tests)
        if not alone.failures and not alone.broken:
            self.width = 1
            if self.process.has_left_traces:  # it must also hold where these files exist
                alone = self._run(run, folder, tests)
            return self._proved(alone, verdict, run.circumstances, folder, tests)
        return alone

    def _proved(
        self, alone: Verdict, before: Verdict, one: Circumstances, folder: Path, tests: int
    ) -> Verdict:
        """Return `alone`, with the failures of several further runs.

        A test that failed `before` may hold by chance the next time. A run that broke as a whole
        has no results for single tests, so nothing needs a proof.
        """
        if not before.failures:
            return alone
        failing = Run(one, tuple(failing_modules(before, modules_of(folder))))
        further = [self._run(failing, folder, tests) for _ in range(PROOFS)]
        return joined_verdicts([alone, *further])

    def _forgiven(self, verdict: Verdict, run: Run, folder: Path, tests: int) -> Verdict:
        """Return `verdict` of a strict run without failures from warnings inside the application.

        A warning that a test itself raises can be ignored there. A warning may also leave the
        application broken (half configured mappers), or become a 500 response, and no other test
        would avoid that. It breaks certain tests every time, and none where warnings are allowed. A
        test that fails only sometimes still counts as a failure.
        """
        puzzling = [one for one in verdict.failures if not one.warning and not one.hung]
        if run.circumstances is not STRICT or not puzzling:
            return verdict
        lenient = joined_verdicts(
            [self._run(replace(run, circumstances=LENIENT), folder, tests) for _ in range(PROOFS)]
        )
        if lenient.broken:
            return verdict
        doubtful = tests_of(puzzling) - tests_of(lenient.failures)
        again = self._run(run, folder, tests) if doubtful else Verdict()
        known = puzzling if again.left_out else again.failures
        reasons = {(test_of(one), one.reason) for one in known}
        certain = {
            test_of(one)
            for one in puzzling
            if test_of(one) in doubtful and (test_of(one), one.reason) in reasons
        }
        forgiven = [one for one in puzzling if test_of(one) in certain]
        if not forgiven:
            return verdict
        kept = tuple(one for one in verdict.failures if one not in forgiven)
        names = {(one.file, one.test) for one in forgiven}
        first = forgiven[0]
        notice = f"{len(names)} written tests fail where warnings are errors, by warnings of the "
        notice += f"application: {first.test} {first.reason}"
        return replace(verdict, failures=kept, notices=(*verdict.notices, notice))
