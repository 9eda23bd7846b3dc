"""Refreshes the tests of a folder after an intended change of the application.

1. the tests that were not edited run with all assertions observed, none enforced
2. what failed gets the values seen now (`refresh`); a diff says what
3. the new text is written beside its place (`write.stage`), remembered, verified like a fresh
   suite, and moved to its place in the end
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.write.code.formatting import project_layout
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.ledger import ExistingModule
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing
from pytest_evosearch.write.modules.module_files import existing_modules
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.modules.module_files import write_ledger
from pytest_evosearch.write.stage import staged
from pytest_evosearch.write.updating.observation import Observations
from pytest_evosearch.write.updating.observation import observe
from pytest_evosearch.write.updating.refresh import refreshed_module
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verify import Verifier


@dataclass
class Update:
    """The result of an update; tests are named ``file::test``."""

    diff: list[str] = field(default_factory=list)
    """Unified diff without line ends; empty when all assertions hold."""
    unchanged: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    """Refreshed tests by their new names."""
    edited: list[str] = field(default_factory=list)
    """Tests that were changed by hand, and so left alone."""
    refused: dict[str, str] = field(default_factory=dict)
    """Tests that no new value makes pass -> reason."""
    failing: list[str] = field(default_factory=list)
    """Tests that fail after everything is written."""
    notice: str = ""
    """Why nothing is known about the tests, one line; empty otherwise."""


Selected = Callable[[str, str], bool]
"""Says whether a test (file name, test) may be refreshed."""


def update_folder(
    folder: Path,
    process: PytestProcess,
    verifier: Verifier | None,
    *,
    selected: Selected = lambda _file, _test: True,
    write: bool = True,
    safe: Safekeeping | None = None,
) -> Update:
    """Refresh the generated tests in `folder`; without `write`, only report the changes.

    `safe` notes what to restore if the process dies. A folder without a ledger is left alone,
    because edited tests could not be recognised.
    """
    update = Update()
    ledger = read_ledger(folder / LEDGER)
    modules = {name: one for name, one in existing_modules(folder).items() if one.readable}
    ours = _untouched(modules, ledger, selected, update)
    if not ours:
        return update
    seen = observe(folder, process, {folder / name: tests for name, tests in ours.items()})
    if seen.broken:
        update.notice = f"the tests cannot be run: {seen.broken}"
        return update
    layout = project_layout(process.root)
    shared = {file: _shared(file, modules[file], ledger) for file in ours}
    texts, renamed = _refreshed(folder, ours, shared, seen, layout, process.root, update)
    if write and texts:
        with staged(folder, process.root, safe or Safekeeping(process.root)) as stage:
            for name, text in texts.items():
                write_atomically(stage.folder / name, text)
            write_ledger(stage.folder / LEDGER, _remembered(ledger, texts, renamed))
            _verify(stage.folder, verifier, sum(map(len, ours.values())), update)
            edited = stage.settle()
        if edited:
            notice = f"edited during the verification, and left as they are: {', '.join(edited)}"
            update.notice = "; ".join(filter(None, (update.notice, notice)))
    return update


def _untouched(
    modules: Mapping[str, ExistingModule], ledger: Ledger, selected: Selected, update: Update
) -> dict[str, list[str]]:
    """Return the unedited tests, by file."""
    found: dict[str, list[str]] = {}
    for file, module in modules.items():
        for name, source in module.tests.items():
            if not selected(file, name):
                continue
            if ledger.knows(file, name, source):
                found.setdefault(file, []).append(name)
            else:
                update.edited.append(f"{file}::{name}")
    return found


def _shared(file: str, module: ExistingModule, ledger: Ledger) -> set[str]:
    """Return the unedited fixtures of a module."""
    others = module.blocks.keys() - module.tests.keys()
    return {name for name in others if ledger.knows(file, name, module.blocks[name])}


def _refreshed(
    folder: Path,
    ours: Mapping[str, Collection[str]],
    shared: Mapping[str, Collection[str]],
    seen: Observations,
    layout: Layout,
    root: Path,
    update: Update,
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the new texts of modules that change, and old -> new names in each."""
    texts: dict[str, str] = {}
    renamed: dict[str, dict[str, str]] = {}
    for file, tests in ours.items():
        path = folder / file
        old = path.read_text(encoding="utf-8")
        rows = {test: seen.rows(path, test) for test in tests}
        new, changed, refused = refreshed_module(old, rows, layout, shared[file])
        update.refused.update({f"{file}::{test}": why for test, why in refused.items()})
        update.refreshed += [f"{file}::{name}" for name in reversed(changed.values())]
        update.unchanged += [
            f"{file}::{test}" for test in tests if test not in changed and test not in refused
        ]
        if new != old:
            texts[file], renamed[file] = new, changed
            update.diff += _diff(relative(path, root), old, new)
    return texts, renamed


def _diff(file: str, old: str, new: str) -> list[str]:
    before, after = old.splitlines(), new.splitlines()
    return list(difflib.unified_diff(before, after, f"a/{file}", f"b/{file}", lineterm=""))


def _remembered(
    ledger: Ledger, texts: Mapping[str, str], renamed: Mapping[str, Mapping[str, str]]
) -> Ledger:
    """Return the ledger with the refreshed tests under their new names."""
    tests, moved = dict(ledger.tests or {}), dict[str, str]()
    for file, names in renamed.items():
        sources = parse_existing(texts[file]).blocks
        for old, new in names.items():
            before, after = f"{file}::{old}", f"{file}::{new}"
            tests.pop(before, None)
            tests[after] = digest(sources[new])
            moved[before] = after
    runs = {
        run: tuple(sorted(moved.get(address, address) for address in written))
        for run, written in ledger.runs.items()
    }
    return replace(ledger, tests=tests, runs=runs)


def _verify(folder: Path, verifier: Verifier | None, tests: int, update: Update) -> None:
    if verifier is None:
        return
    verdict = verifier(folder, tests)
    update.notice = verdict.broken
    failing = {f"{one.file}::{one.test}" for one in verdict.failures}
    update.failing = sorted(failing - update.refused.keys())
