"""Keeps tests of an earlier run where a new run adds nothing.

The ledger is committed; the cache remembers what each written test covers. An unedited test does
not change while it passes and all targets that it covers exist. A new test is written only for
targets that no kept test covers. So another seed adds tests and rewrites none, and no covered
target is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.ledger import ExistingModule
from pytest_evosearch.write.modules.ledger import Ledger

COVERED = "covered.json"
"""Name of the file in the cache."""

Exists = Callable[[TargetId], bool]


def always(_target: TargetId) -> bool:
    """Say that every target still exists."""
    return True


@dataclass
class Earlier:
    """Coverage of tests of an earlier run: ``file::test`` -> targets."""

    covered: dict[str, frozenset[TargetId]] = field(default_factory=dict)

    def without(self, addresses: Collection[str]) -> Earlier:
        """Return the coverage without the tests at `addresses`."""
        return Earlier(
            {one: targets for one, targets in self.covered.items() if one not in addresses}
        )

    def stand_ins(self, specimens: Sequence[Specimen]) -> dict[str, tuple[int, ...]]:
        """Return, for each kept test, the specimens that need not be written."""
        together = frozenset[TargetId]().union(*self.covered.values())
        found: dict[str, list[int]] = {address: [] for address in self.covered}
        for index, specimen in enumerate(specimens):
            if specimen.targets and specimen.targets <= together:
                found[self._best(specimen.targets)].append(index)
        return {address: tuple(members) for address, members in found.items()}

    def _best(self, targets: frozenset[TargetId]) -> str:
        return min(self.covered, key=lambda one: (-len(self.covered[one] & targets), one))


def untouched(
    path: Path | None,
    version: str,
    modules: Mapping[str, ExistingModule],
    ledger: Ledger,
    exists: Exists,
    cut_short: bool = False,
) -> Earlier:
    """Return the coverage of the tests in `modules` that may stay.

    Tests are left out that were edited, that another version of this tool wrote, or that cover a
    target which no longer exists. After a search that was `cut_short`, tests with unknown coverage
    stay, too.
    """
    remembered = _read(path, version)
    found = {}
    for file, module in modules.items():
        for name, source in module.tests.items():
            address = f"{file}::{name}"
            targets = remembered.get(address)
            if not targets and not cut_short:
                continue
            if ledger.knows(file, name, source) and all(map(exists, targets or ())):
                found[address] = frozenset(targets or ())
    return Earlier(found)


def _read(path: Path | None, version: str) -> dict[str, list[TargetId]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path is not None else {}
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("version") != version:
        return {}
    tests = content.get("tests")
    return tests if isinstance(tests, dict) else {}


def remember(path: Path | None, version: str, earlier: Earlier) -> None:
    """Keep the coverage of the written tests; an unwritable cache is not an error."""
    if path is None:
        return
    tests = {address: sorted(targets) for address, targets in sorted(earlier.covered.items())}
    try:
        write_atomically(path, json.dumps({"version": version, "tests": tests}) + "\n")
    except OSError:
        return
