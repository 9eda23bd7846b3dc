"""Controls the recording: begins a test, ends it, retires covered targets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from contextvars import Context
from itertools import chain
from itertools import starmap
from pathlib import Path
from types import CodeType
from types import TracebackType
from typing import ParamSpec
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.instrument.probing.journal import Change
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

    Invariant: code between `end` and the next `begin`, and code in any other thread, counts as
    background and for no test.
    """

    def __init__(self, level: int, excluded: Patterns = None) -> None:
        self.level = level
        self.excluded = excluded
        """Patterns of lines that are no targets; None for coverage.py's default."""
        self.catalog = Catalog()
        self.notices: list[str] = []
        """One line for each module that was loaded without probes, and for each failed probe."""
        self.transforming_seconds = 0.0
        """Seconds that this plugin took to make instrumented code; plain runs do not spend them."""
        self._journal = Journal(level, self.notices)
        self.scales = Scales(self._journal, self.catalog.path_of)
        """Records comparisons of libraries for the running test."""
        self._probes_of: dict[TargetId, list[Probe]] = {}
        self._modules: list[ModuleProbes] = []
        self._settled: dict[Probe, None] = {}
        """Probes with a retired target, which the full mode reactivates."""
        self._changes: dict[bool, list[Change]] = {}
        """What to set for each mode; empty after a change of `_settled`."""
        self._already_imported: tuple[str, ...] = ()
        self._retired_at_start: frozenset[TargetId] = frozenset()
        self._undo: Callable[[], None] | None = None
        self._ran_apart = False
        self.loaded: list[LoadedCode] = []
        """The code of the modules, for those who replace it."""

    # Tests

    def begin(
        self,
        full: bool = False,
        focus: Collection[TargetId] = frozenset(),
        *,
        discarded: bool = False,
    ) -> None:
        """Begin a test.

        With `full`, the trace contains every target that the test covers, even retired ones. Probes
        of the targets in `focus` compute all distances instead of the first few, and report their
        values. A `discarded` test skips slow scoring.
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
        """Change between recording all targets and omitting retired ones.

        A large program has tens of thousands of probes, so this loop needs no Python frame.
        """
        self._journal.full = full
        if full:
            self._restore_guards()
        if full not in self._changes:
            changes = (probe.changes(full) for probe in self._settled)
            self._changes[full] = [*chain.from_iterable(changes)]
        deque(starmap(setattr, self._changes[full]), 0)

    def end(self) -> Trace:
        """End the test and return its trace."""
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

        From the first of these calls on, only code in these contexts (and in copies of them) counts
        for the test.
        """
        journal = self._journal
        if journal.testing and not self._ran_apart:
            self._ran_apart = True
            journal.token = object()
        context = Context()
        context.run(MARK.set, journal.token if journal.testing else None)
        return context.run(function, *args, **kwargs)

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Stop recording `targets`: probes without another purpose stay inactive."""
        journal = self._journal
        for target in targets:
            if target in journal.retired:
                continue
            journal.retired.add(target)
            if journal.testing and not journal.full:
                journal.scores.pop(target, None)
            self._changes.clear()
            for probe in self._probes_of.get(target, ()):
                self._settled[probe] = None
                probe.refresh()
                journal.asleep.append(probe.armed)

    def background(self) -> frozenset[TargetId]:
        """Return targets that were covered outside tests, by imports, or by other threads."""
        noted = (target for module in self._modules for target in module.noted())
        return frozenset(self._journal.background.union(noted))

    def retire_background(self) -> frozenset[TargetId]:
        """Retire all of `background` and return it."""
        found = self.background()
        self.retire(sorted(found))
        self._retired_at_start = found
        return found

    # Modules

    def already_imported(self) -> tuple[str, ...]:
        """Return the selected modules that were imported too early to be instrumented."""
        return self._already_imported

    def adopt(
        self, name: str, file: Path, plan: Plan, code: CodeType, source: bytes = b""
    ) -> CodeType:
        """Add a transformed module: put live probes into its code, and add its targets.

        Without `source`, `respecialize` does not affect the module.
        """
        return self.assemble(name, file, plan, taken_apart(code), source)

    def assemble(
        self, name: str, file: Path, plan: Plan, parts: Parts, source: bytes = b""
    ) -> CodeType:
        """Add a transformed module like `adopt`, from code that was split into parts."""
        probes = ModuleProbes(plan, self._journal, self._register)
        guarded = put_together(parts, probes.slots)
        self._modules.append(probes)
        self.catalog.add(ModuleEntry(name, plan.path, file, plan), guarded.co_filename)
        if source:
            self.loaded.append(LoadedCode(source, guarded, probes, [guarded]))
        return guarded

    def slots_of(self, path: str, unit: int) -> ProbeSlots:
        """Return the slots of a unit, by the module's path in names of targets, for debugging."""
        return next(each.slots[unit] for each in self._modules if each.plan.path == path)

    def respecialize(self) -> None:
        """Recompile the modules without the probes that have nothing left to learn.

        It is useful at a few milestones of a search. It compiles every module that tests have
        reached and scans the heap once; afterwards, covered code runs at its plain speed. A full
        test restores all probes until the next call. Call it between tests.
        """
        if self._journal.full:
            return
        replacements = []
        covered = self._journal.retired - self._retired_at_start
        for loaded in self.loaded:
            if not loaded.probes.has_any(covered):
                continue  # what only ran at the start will hardly run again
            code = loaded.respecialized(self.level, self.excluded)
            if code is not None:
                replacements.extend(loaded.adopt(code))
        swap(replacements)

    def _restore_guards(self) -> None:
        """Restore every probe in the code."""
        replacements = []
        for loaded in self.loaded:
            if loaded.left_out or loaded.watched:
                replacements.extend(loaded.adopt(loaded.restored()))
        swap(replacements)

    def _register(self, probe: Probe, targets: Iterable[TargetId]) -> None:
        retired = self._journal.retired
        for target in dict.fromkeys(targets):
            self._probes_of.setdefault(target, []).append(probe)
            if target in retired:
                self._changes.clear()
                self._settled[probe] = None

    # Life cycle

    def attach_loaded(self, already_imported: Iterable[str]) -> None:
        """Note which selected modules were loaded without probes, after others were reloaded."""
        self._already_imported = tuple(already_imported)

    def attach(self, already_imported: Iterable[str], undo: Callable[[], None]) -> None:
        """Note the modules imported too early, and the function that removes the finder."""
        self._already_imported = tuple(already_imported)
        self._undo = undo

    def uninstall(self) -> None:
        """Stop instrumenting imports, and make every probe inactive; a second call does no harm."""
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
