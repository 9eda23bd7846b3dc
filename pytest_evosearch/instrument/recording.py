"""The handle on everything instrumented: begin a test, end it, retire what is covered."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from contextvars import Context
from pathlib import Path
from types import CodeType
from types import TracebackType
from typing import ParamSpec
from typing import TypeVar

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument import nodes
from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.instrument.plan import ModulePlan
from pytest_evosearch.instrument.probes import MARK
from pytest_evosearch.instrument.probes import Journal
from pytest_evosearch.instrument.probes import Probe
from pytest_evosearch.instrument.probes import ProbeSlots
from pytest_evosearch.instrument.probes import silence
from pytest_evosearch.instrument.specialization import LoadedCode
from pytest_evosearch.instrument.specialization import swap
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.instrument.trace import Sighting
from pytest_evosearch.instrument.trace import Trace
from pytest_evosearch.instrument.waking import ModuleProbes

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Recording:
    """Records what each test touches of the instrumented modules.

    Invariant: between `end` and the next `begin` nothing is credited; what runs then, and what
    any other thread runs at any time, is background.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self.catalog = Catalog()
        self.notices: list[str] = []
        """One line for each module that was loaded plain and each probe that failed, and why."""
        self._journal = Journal(level, self.notices)
        self._indexes: dict[TargetId, int] = {}
        self._probes_of: dict[int, list[Probe]] = {}
        self._modules: list[ModuleProbes] = []
        self._settled: dict[Probe, None] = {}
        """Probes with a retired target: the ones that the full mode wakes."""
        self._already_imported: tuple[str, ...] = ()
        self._undo: Callable[[], None] | None = None
        self._ran_apart = False
        self._loaded: list[LoadedCode] = []

    # Tests

    def begin(self, full: bool = False, focus: Collection[TargetId] = frozenset()) -> None:
        """Begin a test.

        With `full` the trace will hold every target that the test covers, retired ones too.
        Probes of the targets in `focus` compute all distances instead of the first few, and
        tell what they see.
        """
        journal = self._journal
        waking, journal.disarmed = journal.disarmed, []
        journal.scores = {}
        journal.comparisons = []
        journal.watched = frozenset(
            self._indexes[target] for target in focus if target in self._indexes
        )
        journal.sightings = []
        for wake in waking:
            wake()
        if full is not journal.full:
            journal.full = full
            if full:
                self._restore_guards()
            for probe in self._settled:
                probe.refresh()
                probe.arm()
        for target in focus:
            if target in self._indexes:
                for probe in self._probes_of.get(self._indexes[target], ()):
                    probe.lift_cap()
        journal.token = object()
        journal.testing = True
        self._ran_apart = False
        MARK.set(journal.token)

    def end(self) -> Trace:
        """End the test and return what it touched."""
        journal = self._journal
        journal.testing = False
        journal.token = object()
        names, retired = journal.names, journal.retired
        found = journal.scores
        if retired and not journal.full and not retired.isdisjoint(found):
            found = {target: score for target, score in found.items() if target not in retired}
        scores = {names[target]: score for target, score in found.items()}
        comparisons = [
            Comparison(names[target], relation, observed, wanted)
            for target, relation, observed, wanted in journal.comparisons
        ]
        sightings = [
            Sighting(names[target], kind, operation, values)
            for target, kind, operation, values in journal.sightings
        ]
        return Trace(scores, comparisons, sightings)

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
            index = self._indexes.get(target)
            if index is None or index in journal.retired:
                continue
            journal.retired.add(index)
            for probe in self._probes_of.get(index, ()):
                self._settled[probe] = None
                probe.refresh()
                journal.disarmed.append(probe.arm)

    def background(self) -> frozenset[TargetId]:
        """Return what was covered outside tests, by imports, or by other threads."""
        names = self._journal.names
        return frozenset(names[target] for target in self._journal.background)

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
        self, name: str, file: Path, plan: ModulePlan, code: CodeType, source: bytes = b""
    ) -> CodeType:
        """Take in a transformed module: give its code live probes, its targets numbers.

        Without `source` the module takes no part in `respecialize`.
        """
        numbers = [self._number(row.name) for row in plan.targets]
        probes = ModuleProbes(plan, numbers, self._journal, self._register)
        self._modules.append(probes)
        self.catalog.add(ModuleEntry(name, plan.path, file, plan), code.co_filename)
        guarded = nodes.implant(code, probes.slots)
        if source:
            self._loaded.append(LoadedCode(source, guarded, probes, [guarded]))
        return guarded

    def slots_of(self, path: str) -> ProbeSlots:
        """Return the slots of the module that targets name by `path`, for debugging."""
        return next(each.slots for each in self._modules if each.plan.path == path)

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
            code = loaded.respecialized(self.level)
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

    def _number(self, target: TargetId) -> int:
        index = self._indexes.get(target)
        if index is None:
            index = self._indexes[target] = len(self._journal.names)
            self._journal.names.append(target)
        return index

    def _register(self, probe: Probe, targets: Iterable[int]) -> None:
        retired = self._journal.retired
        for target in dict.fromkeys(targets):
            self._probes_of.setdefault(target, []).append(probe)
            if target in retired:
                self._settled[probe] = None

    # Life cycle

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
            silence(module.slots)

    def __enter__(self) -> Recording:  # noqa: PYI034 - Self is newer than 3.10
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.uninstall()
