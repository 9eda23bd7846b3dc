"""Knowledge about instrumented modules: targets, their positions and order, and constants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.plan import Plan


@dataclass(frozen=True)
class ModuleEntry:
    """One instrumented module."""

    name: str
    path: str
    """The path in names of targets."""
    file: Path
    stored: Plan

    @property
    def plan(self) -> ModulePlan:
        """Return the module's plan, which is read when first needed."""
        return self.stored.whole()

    def targets(self) -> list[TargetId]:
        """Return the module's targets in the order of the source."""
        return [row.name for row in self.plan.targets]


class Catalog:
    """All instrumented modules; late imports are added as they load."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleEntry] = {}
        self._unread: list[ModuleEntry] = []
        self._rows: dict[TargetId, tuple[ModuleEntry, int]] = {}
        self._files: dict[str, str] = {}

    def add(self, entry: ModuleEntry, filename: str = "") -> None:
        """Add a module, or replace a reloaded one.

        `filename` is the name of its file in tracebacks, when that is not the resolved path.
        """
        self._modules[entry.path] = entry
        self._files[str(entry.file)] = entry.path
        self._files[filename or str(entry.file)] = entry.path
        self._unread.append(entry)

    def _read_rows(self) -> dict[TargetId, tuple[ModuleEntry, int]]:
        """Return the position of each target; modules are read when first needed."""
        for entry in self._unread:
            for index, row in enumerate(entry.plan.targets):
                self._rows[row.name] = (entry, index)
        self._unread.clear()
        return self._rows

    def modules(self) -> list[ModuleEntry]:
        """Return the modules, ordered by path."""
        return [self._modules[path] for path in sorted(self._modules)]

    def targets(self, path: str | None = None) -> list[TargetId]:
        """Return all targets (of the module `path`), by path and then in source order."""
        if path is not None:
            return self._modules[path].targets()
        return [target for module in self.modules() for target in module.targets()]

    def __len__(self) -> int:
        return len(self._read_rows())

    def __contains__(self, target: object) -> bool:
        return target in self._read_rows()

    def position(self, target: TargetId) -> tuple[str, int]:
        """Return (path, line) of a target; raise KeyError for an unknown one."""
        module, index = self._read_rows()[target]
        return module.path, module.plan.targets[index].line

    def control_dependencies(self, target: TargetId) -> tuple[TargetId, ...]:
        """Return the branch sides of which one comes directly before `target`; () for a root.

        Only sides in the target's function count. An unknown target is a root.
        """
        if target not in self._read_rows():
            return ()
        module, index = self._read_rows()[target]
        return module.plan.targets[index].controls

    def constants(self, path: str | None = None) -> Sequence[tuple[object, int]]:
        """Return the literals (str, int, float, bytes) of a module, or of all, with their lines."""
        if path is not None:
            return tuple(self._modules[path].plan.constants)
        return tuple(pair for module in self.modules() for pair in module.plan.constants)

    def path_of(self, filename: str) -> str | None:
        """Return the path of `filename` in names of targets, None when it is not instrumented."""
        return self._files.get(filename)
