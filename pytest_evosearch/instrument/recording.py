"""The handle on everything instrumented: begin a test, end it, retire what is covered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from contextvars import Context
from itertools import starmap
from pathlib import Path
from types import CodeType
from types import TracebackType
from typing import ParamSpec
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.probes import MARK
from pytest_evosearch.instrument.probing.probes import Probe
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.probing.specialization import LoadedCode
from pytest_evosearch.instrument.probing.specialization import swap
from pytest_evosearch.instrument.probing.trace import Trace
from pytest_evosearch.instrument.probing.waking import ModuleProbes
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.instrument.transformation.assembly import Parts
from pytest_evosearch.instrument.transformation.assembly import put_together
from pytest_evosearch.instrument.transformation.assembly import taken_apart
from pytest_evosearch.instrument.transformation.exclusion import Patterns
from pytest_evosearch.instrument.transformation.plan import Plan

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Recording:
    """Records what each test touches of the instrumented modules.

    Invariant: between `end` and the next `begin` nothing is credited; what runs then, and what
    any other thread runs at any time, is background.
    """

    def __init__(self, level: int, excluded: Patterns = None) -> None:
        self.level = level
        self.excluded = excluded
        """Patterns of lines that are no targets; None for coverage.py's default."""
        self.catalog = Catalog()
        self.notices: list[str] = []
        """One line for each module that was loaded plain and each probe that failed, and why."""
        self._journal = Journal(level, self.notices)
        self.scales = Scales(self._journal, self.catalog.path_of)
        """Takes in what libraries compare for the running test."""
        self._probes_of: dict[TargetId, list[Probe]] = {}
        self._modules: list[ModuleProbes] = []
        self._settled: dict[Probe, None] = {}
        """Probes with a retired target: the ones that the full mode wakes."""
        self._already_imported: tuple[str, ...] = ()
        self._undo: Callable[[], None] | None = None
        self._ran_apart = False
        self._loaded: list[LoadedCode] = []

    # Tests

    def begin(
        self,
        full: bool = False,
        focus: Collection[TargetId] = frozenset(),
        *,
        discarded: bool = False,
    ) -> None:
        """Begin a test.

        With `full` the trace will hold every target that the test covers, retired ones too.
        Probes of the targets in `focus` compute all distances instead of the first few, and
        tell what they see.  What is `discarded` is not weighed where that takes long.
        """
        journal = self._journal
        journal.discarded = discarded
        waking, journal.asleep = journal.asleep, []
        journal.scores = {}
        journal.comparisons = []
        journal.watched = frozenset(focus)
        journal.sightings = []
        if waking:
            deque(starmap(setattr, waking), 0)
        journal.test = object()
        if full is not journal.full:
            self._switch(full)
        for target in focus:
            for probe in self._probes_of.get(target, ()):
                probe.lift_cap()
        journal.token = object()
        journal.testing = True
        self._ran_apart = False
        MARK.set(journal.token)

    def _switch(self, full: bool) -> None:
        """Change between tests that record all targets and such that leave out retired ones."""
        self._journal.full = full
        if full:
            self._restore_guards()
        for probe in self._settled:
            probe.switch()
            setattr(*probe.armed)

    def end(self) -> Trace:
        """End the test and return what it touched."""
        journal = self._journal
        journal.testing = False
        journal.token = object()
        return Trace(journal.scores, journal.comparisons, journal.sightings)

    def run(
        self,
        function: Callable[Parameters, Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """Call `function` for the running test, in an empty `contextvars.Context`.

        From the first such call on, only what runs in such contexts (and in copies of them)
        counts for the test.
        """
        journal = self._journal
        if journal.testing and not self._ran_apart:
            self._ran_apart = True
            journal.token = object()
        context = Context()
        context.run(MARK.set, journal.token if journal.testing else None)
        return context.run(function, *args, **kwargs)

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Stop recording `targets`: probes with nothing else to learn die for good."""
        journal = self._journal
        for target in targets:
            if target in journal.retired:
                continue
            journal.retired.add(target)
            if journal.testing and not journal.full:
                journal.scores.pop(target, None)
            for probe in self._probes_of.get(target, ()):
                self._settled[probe] = None
                probe.refresh()
                journal.asleep.append(probe.armed)

    def background(self) -> frozenset[TargetId]:
        """Return what was covered outside tests, by imports, or by other threads."""
        noted = (target for module in self._modules for target in module.noted())
        return frozenset(self._journal.background.union(noted))

    def retire_background(self) -> frozenset[TargetId]:
        """Retire all of `background` and return it."""
        found = self.background()
        self.retire(sorted(found))
        return found

    # Modules

    def already_imported(self) -> tuple[str, ...]:
        """Return the selected modules that were imported too early to be instrumented."""
        return self._already_imported

    def adopt(
        self, name: str, file: Path, plan: Plan, code: CodeType, source: bytes = b""
    ) -> CodeType:
        """Take in a transformed module: put live probes into its code, know its targets.

        Without `source` the module takes no part in `respecialize`.
        """
        return self.assemble(name, file, plan, taken_apart(code), source)

    def assemble(
        self, name: str, file: Path, plan: Plan, parts: Parts, source: bytes = b""
    ) -> CodeType:
        """Do what `adopt` does with code that was taken apart."""
        probes = ModuleProbes(plan, self._journal, self._register)
        guarded = put_together(parts, probes.slots)
        self._modules.append(probes)
        self.catalog.add(ModuleEntry(name, plan.path, file, plan), guarded.co_filename)
        if source:
            self._loaded.append(LoadedCode(source, guarded, probes, [guarded]))
        return guarded

    def slots_of(self, path: str, unit: int) -> ProbeSlots:
        """Return the slots of a unit of the module that targets name by `path`, for debugging."""
        return next(each.slots[unit] for each in self._modules if each.plan.path == path)

    def respecialize(self) -> None:
        """Recompile the modules without the probes that have nothing left to learn.

        Worth it at a few milestones of a search: it costs a compilation of every module
        and one scan of the heap; afterwards covered code runs at its plain speed.  A full test
        brings all probes back, until the next call.  To be called between tests.
        """
        if self._journal.full:
            return
        replacements = []
        for loaded in self._loaded:
            code = loaded.respecialized(self.level, self.excluded)
            if code is not None:
                replacements.extend(loaded.adopt(code))
        swap(replacements)

    def _restore_guards(self) -> None:
        """Bring every probe back into the code."""
        replacements = []
        for loaded in self._loaded:
            if loaded.left_out or loaded.watched:
                replacements.extend(loaded.adopt(loaded.restored()))
        swap(replacements)

    def _register(self, probe: Probe, targets: Iterable[TargetId]) -> None:
        retired = self._journal.retired
        for target in dict.fromkeys(targets):
            self._probes_of.setdefault(target, []).append(probe)
            if target in retired:
                self._settled[probe] = None

    # Life cycle

    def attach_loaded(self, already_imported: Iterable[str]) -> None:
        """Note which selected modules are loaded plain, now that others were loaded anew."""
        self._already_imported = tuple(already_imported)

    def attach(self, already_imported: Iterable[str], undo: Callable[[], None]) -> None:
        """Note what was too late to instrument, and how to take the finder away again."""
        self._already_imported = tuple(already_imported)
        self._undo = undo

    def uninstall(self) -> None:
        """Stop instrumenting imports and silence every probe; twice does no harm."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
        for module in self._modules:
            module.silence()

    def __enter__(self) -> Recording:  # noqa: PYI034 - Self is newer than 3.10
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.uninstall()
