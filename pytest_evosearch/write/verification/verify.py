"""Runs the written tests in fresh interpreters: as they are, and under other circumstances.

As they are, many tests run in as many parts as there are processors.  What depends on any of the
circumstances shows.  After a repair only what failed is run again: of the tests as they are the
modules that were written anew, until these hold, and then all of them once more; of the other
circumstances those under which tests failed, with these modules.

Where the tests hold as they are, the other runs take place at once, as many as there are
processors, under two circumstances in one run where that is possible.  Such a run may be disturbed
by its neighbours (a file, a port), so a failure counts when it shows again in a run by itself, or
in one of several further runs.  What fails in a module that was forked counts when it shows again
in fresh interpreters.  What the project's own fixtures do not bear is told, and not held against
the tests (`write.verification.bearing`).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.isolation import os
from pytest_evosearch.settings.time_plan import LEAST_RUN_SECONDS
from pytest_evosearch.settings.time_plan import OWN_SUITE_SECONDS
from pytest_evosearch.settings.time_plan import SECONDS_PER_TEST
from pytest_evosearch.settings.time_plan import START_UP_SECONDS
from pytest_evosearch.write.verification.bearing import Bearing
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import CAUGHT_UP
from pytest_evosearch.write.verification.circumstances import LENIENT
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import SOON
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import TOGETHER
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.circumstances import Scope
from pytest_evosearch.write.verification.circumstances import blamed_name
from pytest_evosearch.write.verification.circumstances import elements
from pytest_evosearch.write.verification.circumstances import joined_where_possible
from pytest_evosearch.write.verification.extent import Extent
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.module_choice import changed_modules
from pytest_evosearch.write.verification.module_choice import dealt_out
from pytest_evosearch.write.verification.module_choice import failing_modules
from pytest_evosearch.write.verification.module_choice import texts_of_suite
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import Entry
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.simultaneous import processors
from pytest_evosearch.write.verification.simultaneous import run_at_once
from pytest_evosearch.write.verification.single_runs import SingleRuns
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
from pytest_evosearch.write.verification.warm import Run
from pytest_evosearch.write.verification.warm import modules_of
from pytest_evosearch.write.verification.warm import warmed

PROOFS = 4
"""Further runs in which tests have to hold that failed once, and then held."""

TESTS_IN_A_HURRY = 20
MANY_TESTS = 60
"""From so many tests on the tests as they are run in parts at once, with and without a limit.

Theirs is the slowest run of all (passwords are hashed as dearly as the project has it), and every
other waits for it: of 161 tests with a set-up of a second each it took three minutes.
"""


class Verifier(Protocol):
    """Decides which of the tests in a folder can be relied on."""

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run the tests of `folder` (about `tests` of them)."""
        ...


@dataclass
class FreshInterpreters:
    """The verifier of one suite; from the second call on it repeats only what failed."""

    process: PytestProcess
    circumstances: Sequence[Circumstances] = ALL
    tell: Callable[[str], None] = lambda _circumstances: None
    """Told before runs how they are run; they may take minutes."""
    width: int = field(default_factory=processors)
    """How many interpreters run at once."""
    beside: Callable[[Path], None] | None = None
    """Called with the folder while other runs take place, in a thread of its own; once."""
    forks: bool = hasattr(os, "fork")
    """Whether modules may run in forks of one interpreter."""
    held: dict[Path, bytes] = field(default_factory=dict)
    """What stood in the modules that held when they were run last, as they are or otherwise."""
    bearing: Bearing | None = None
    """Knows what the project itself bears; None until something fails."""
    limits: Limits = field(default_factory=Limits)
    extent: Extent = field(default_factory=Extent)
    renounced: Sequence[Circumstances] = ()
    """Further ones, of which the user wants none: the tests say that they were not run so."""
    _asked: Sequence[Circumstances] = field(init=False)

    def __post_init__(self) -> None:
        """Remember in which circumstances the tests are to be run, given time."""
        self._asked = tuple(self.circumstances)

    @property
    def _run(self) -> SingleRuns:
        return SingleRuns(self.process, self.limits, self.extent)

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run `folder` in every way that is left, first as it is; while there is time."""
        began = monotonic()
        verdict = self._verdict(folder, tests)
        modules = modules_of(folder)
        share = len(failing_modules(verdict, modules)) / max(1, len(modules))
        is_last = not self.limits.suffice_for_repetition(share * (monotonic() - began))
        wanted = (*self._asked, *self.renounced)
        possible = [one for one in wanted if self._is_possible(one, folder)]
        return replace(verdict, is_last=is_last, extent=self._extent(possible, tests))

    def _extent(self, possible: Sequence[Circumstances], tests: int) -> str:
        if self.renounced:
            return self.extent.told(possible, tests, "they were not run")
        return self.extent.told(possible, tests) if self.limits.is_limited else ""

    def _is_possible(self, one: Circumstances, folder: Path) -> bool:
        """Say whether tests of `folder` can be run so, given time."""
        if one.is_by_module and len(modules_of(folder)) < 2:
            return False
        return self.process.has_workers or not one.workers

    def _verdict(self, folder: Path, tests: int) -> Verdict:
        """Run `folder` in every way that is left, first as it is."""
        if not self.held:
            self.process.find_bytecode()
        self.process.forget_bytecode(folder)
        plain = [one for one in self.circumstances if one is PLAIN]
        others = [one for one in self.circumstances if one is not PLAIN]
        texts = texts_of_suite(folder)
        changed = changed_modules(texts, self.held)
        if plain:
            with self.limits.first():
                verdicts = [
                    self._caught_up(verdict, folder, tests)
                    for verdict in self._verdicts(plain, folder, tests, changed)
                ]
            # When tests fail as they are, the rest would mostly fail for the same reasons.
            if any(one.failures or one.broken or one.unfinished for one in verdicts):
                self.held = without_failures(texts, verdicts)
                return joined_verdicts(verdicts)
            if 0 < len(changed) < len(modules_of(folder)):
                others += plain
            changed = []
        if not self.limits.suffice_for(LEAST_RUN_SECONDS):
            self.held = texts
            return Verdict()
        verdicts = self._verdicts_of_others(others, folder, tests, changed)
        verdicts = [
            self._held_against_tests(one, verdict, folder, tests)
            for one, verdict in zip(others, verdicts, strict=True)
        ]
        self.held = without_failures(texts, verdicts)
        joined = joined_verdicts(verdicts)
        if not joined.broken:
            self.circumstances = [
                one
                for one, verdict in zip(others, verdicts, strict=True)
                if verdict.failures or verdict.crowded
            ]
        return joined

    def _caught_up(self, verdict: Verdict, folder: Path, tests: int) -> Verdict:
        """Return `verdict`, for which modules were run more cheaply that there was no time for."""
        late = {one.file for one in verdict.failures if one.late}
        modules = [module for module in modules_of(folder) if module.name in late]
        if not modules or not self.limits.suffice_for(LEAST_RUN_SECONDS):
            return verdict
        (again,) = self._verdicts([CAUGHT_UP], folder, tests, modules)
        known = without_the_late(verdict).failures
        further = [one for one in again.failures if test_of(one) not in tests_of(known)]
        return replace(again, failures=(*known, *further))

    def _held_against_tests(
        self, one: Circumstances, verdict: Verdict, folder: Path, tests: int
    ) -> Verdict:
        """Return `verdict` without what the project's own fixtures cannot bear, which is told.

        The tests that it spares have to hold under each element of `one` that the project bears.
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
        told: list[str] = []
        for element in elements(one):
            (found,) = self._verdicts([element], folder, tests, modules)
            ours = tuple(one for one in found.failures if name_of(one) in spared)
            held = self._held_against_tests(element, Verdict(ours), folder, tests)
            kept += held.failures
            told += held.notices if element is not SOON else ()
        told = told or [f"{notice}it does not count against the written tests"]
        return replace(verdict, failures=tuple(kept), notices=(*verdict.notices, *told))

    def _bearing(self, folder: Path, tests: int) -> Bearing:
        """Return who asks the project's fixtures and tests."""
        if self.bearing is None:

            def execute(one: Circumstances, targets: Sequence[Path]) -> Sequence[Entry]:
                self.tell(one.name)
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
        """Return one verdict for each of `others`; those that can be joined are tried so first."""
        tried = modules or modules_of(folder)
        forks = self.forks and len(tried) > 1
        fewer = joined_where_possible(others, forks, self.process.has_workers)
        found = self._verdicts(fewer, folder, tests, modules, self.beside)
        self.beside = None  # what failed is written anew, mostly more than once
        verdicts = dict(zip((id(one) for one in fewer), found, strict=True))
        known: set[Test] = set()
        for joint in [one for one in fewer if one.members]:
            verdict = verdicts[id(joint)]
            for member in joint.members:
                verdicts[id(member)] = verdict
                if verdict.failures or verdict.broken:
                    places = modules if member is TOGETHER else failing_modules(verdict, tried)
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
        """Return one verdict for each of the circumstances, of all tests or those of `modules`."""
        modules = modules or modules_of(folder)
        runs = [run for one in circumstances for run in self._runs(one, folder, tests, modules)]
        runs = warmed(runs) if self.forks else runs
        if not runs:
            return [Verdict() for _one in circumstances]
        self.tell(_described(runs))
        width = self.width if len(runs) > 1 else 1
        found = self._at_once(runs, folder, tests, beside)
        found = [
            self._forgiven(
                self._confirmed(verdict, run, folder, tests, width), run.alone, folder, tests
            )
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
        """Return what each of the runs says, with whatever else there is to do `beside` them."""
        self.limits.expect(len(runs) + (beside is not None), self.width)
        tasks: list[Callable[[], Verdict]] = [
            partial(self._run, run, folder, tests) for run in runs
        ]
        if beside is None:
            return run_at_once(tasks, self.width, self.process.end_all)

        def something_else() -> Verdict:
            self.limits.begin()
            beside(folder)
            return Verdict()

        return run_at_once([something_else, *tasks], self.width, self.process.end_all)[1:]

    def _confirmed(
        self, verdict: Verdict, run: Run, folder: Path, tests: int, width: int
    ) -> Verdict:
        """Return `verdict` of a run beside others when it is good, else that of a run alone.

        Where the two differ the runs disturb one another; from then on each runs by itself.
        """
        if (not verdict.failures and not verdict.broken) or run.circumstances.members:
            return verdict
        if verdict.is_late or not self.limits.suffice_for(self.limits.least):
            return verdict
        if run.circumstances.is_by_module and run.apart:
            return self._confirmed_apart(verdict, run.circumstances, folder, tests)
        if width == 1 and run.leader and not run.apart:
            return verdict
        self.tell(run.circumstances.name)
        # Runs beside one another may also leave a file in a state in which no other would.
        tidy(self.process)
        in_fork, run = run.apart or not run.leader, run.alone
        alone = self._run(replace(run, apart=False), folder, tests)
        if not alone.failures and not alone.broken:
            if in_fork:
                self.forks = False  # what the application holds does not survive a fork
            else:
                self.width = 1
            if self.process.has_left_traces:  # it must hold where it finds these, too
                alone = self._run(run, folder, tests)
            return self._proved(alone, verdict, run.circumstances, folder, tests)
        return alone

    def _proved(
        self, alone: Verdict, before: Verdict, one: Circumstances, folder: Path, tests: int
    ) -> Verdict:
        """Return `alone`, with what fails in one of several further runs.

        A test that has failed `before` may hold by chance the next time.  A run that broke as a
        whole says nothing of single tests, and there is nothing to prove.
        """
        if not before.failures:
            return alone
        modules = failing_modules(before, modules_of(folder))
        parts = [(module,) for module in modules] if one.is_by_module else [tuple(modules)]
        further = [
            self._run(Run(one, part), folder, tests) for part in parts for _ in range(PROOFS)
        ]
        return joined_verdicts([alone, *further])

    def _forgiven(self, verdict: Verdict, run: Run, folder: Path, tests: int) -> Verdict:
        """Return `verdict` of a strict run without what a warning inside the application breaks.

        A warning that shows in a test can be ignored there.  One that leaves the application
        broken (mappers that are half configured), or that it turns into an answer of 500,
        is nothing that another test would do better.  It breaks the same tests in the same way
        every time, and none where warnings are let through; what fails now and then stays a
        failure.
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
        again = self._run(run, folder, tests).failures if doubtful else ()
        reasons = {(test_of(one), one.reason) for one in again}
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

    def _confirmed_apart(
        self, verdict: Verdict, one: Circumstances, folder: Path, tests: int
    ) -> Verdict:
        """Return what fresh interpreters say of the modules that fail in a fork."""
        self.tell(one.name)
        tidy(self.process)
        failing = {failure.file for failure in verdict.failures}
        modules = [
            module for module in modules_of(folder) if verdict.broken or module.name in failing
        ]
        alone = joined_verdicts(
            [self._run(Run(one, (module,)), folder, tests) for module in modules]
        )
        if not alone.failures and not alone.broken:
            self.forks = False  # what the application holds does not survive a fork
            return self._proved(alone, verdict, one, folder, tests)
        return alone

    def _runs(
        self, one: Circumstances, folder: Path, tests: int, modules: Sequence[Path]
    ) -> list[Run]:
        if one.workers and not self.process.has_workers:
            return []
        if one.scope is Scope.PROJECT:
            return [Run(one, ())]
        many = TESTS_IN_A_HURRY if self.limits.is_limited else MANY_TESTS
        is_first = one in (PLAIN, CAUGHT_UP)
        if is_first and tests >= many and min(self.width, len(modules)) > 1:
            return [Run(one, part) for part in dealt_out(modules, self.width)]
        every = modules_of(folder)
        targets = tuple(modules) if len(modules) < len(every) else (folder,)
        if one.scope is Scope.FOLDER:
            return [Run(one, targets)]
        if self.forks and len(modules) > 1:
            return [Run(one, targets, apart=True)]
        return [Run(one, (module,)) for module in modules] if len(every) > 1 else []


def _described(runs: Sequence[Run]) -> str:
    names = list(dict.fromkeys(run.circumstances.name for run in runs))
    return names[0] if len(names) == 1 else f"under {len(names)} other circumstances"
