"""Which modules are instrumented: packages by name, or everything of a project below its root."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

from pytest_evosearch.core import folder_names
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """Selects the modules to instrument.

    With `packages`: those, wherever they are installed. With `root` and no packages: every module
    with a file below it, outside virtual environments and hidden folders. Test modules and conftest
    files are never selected: pytest's own loader rewrites them.
    """

    packages: tuple[str, ...] = ()
    """Dotted names; submodules are included."""
    root: Path | None = None
    """The project's folder; paths of targets are relative to it."""
    exclude: tuple[Path | str, ...] = ()
    """Files, folders or dotted names that are left alone (such as the generated tests)."""
    _environments: dict[Path, bool] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _folders: dict[str, str | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Cached results of `file_of` for folders."""

    def may_accept(self, name: str) -> bool:
        """Say by the name alone whether a module may be selected."""
        if name.partition(".")[0] == "pytest_evosearch" or name in self.exclude:
            return False
        if self.packages:
            return any(name == each or name.startswith(f"{each}.") for each in self.packages)
        return self.root is not None and name.partition(".")[0] not in sys.stdlib_module_names

    def accepts(self, name: str, file: Path) -> bool:
        """Say whether the module `name` in `file` is selected."""
        if not self.may_accept(name) or self._is_excluded(name, file):
            return False
        if self.packages:
            return not _is_test_file(file, file.parts[-_depth(name, file) - 1 :])
        root = self._resolved_root
        if root is None or not file.is_relative_to(root):
            return False
        relative = file.parts[len(root.parts) :]
        return not _is_test_file(file, relative) and self._is_own_code(file, root)

    def file_of(self, origin: str) -> Path | None:
        """Return the resolved file of a module; None in a folder without selected modules.

        A program imports thousands of modules from hundreds of folders: each folder is checked
        once.
        """
        if os.path.islink(origin):
            return Path(origin).resolve()
        folder, name = os.path.split(origin)
        if folder not in self._folders:
            self._folders[folder] = self._resolved_folder(folder)
        resolved = self._folders[folder]
        return None if resolved is None else Path(resolved, name)

    def _resolved_folder(self, folder: str) -> str | None:
        resolved = os.path.realpath(folder)
        root = self._resolved_root
        if self.packages or (root is not None and Path(resolved).is_relative_to(root)):
            return resolved
        return None

    def _is_excluded(self, name: str, file: Path) -> bool:
        for each in self.exclude:
            if isinstance(each, Path):
                if file.is_relative_to(each.resolve()):
                    return True
            elif name == each or name.startswith(f"{each}."):
                return True
        return False

    def _is_own_code(self, file: Path, root: Path) -> bool:
        folders = file.relative_to(root).parts[:-1]
        if any(folder.startswith(".") or folder in folder_names.FOREIGN for folder in folders):
            return False
        return not any(
            self._is_environment(folder)
            for folder in file.parents
            # some projects are in their own environment
            if folder != root and folder.is_relative_to(root)
        )

    def _is_environment(self, folder: Path) -> bool:
        if folder not in self._environments:
            self._environments[folder] = (folder / "pyvenv.cfg").exists()
        return self._environments[folder]

    @cached_property
    def _resolved_root(self) -> Path | None:
        return None if self.root is None else self.root.resolve()

    def relative_path(self, name: str, file: Path) -> str:
        """Return the path in the names of the module's targets, with forward slashes."""
        root = self._resolved_root
        if root is None or not file.is_relative_to(root):
            return "/".join(file.parts[-_depth(name, file) - 1 :])
        return file.relative_to(root).as_posix()


def _depth(name: str, file: Path) -> int:
    """Return how many folders the package of the module `name` has."""
    return name.count(".") + file.name.startswith("__init__.")


def _is_test_file(file: Path, relative: Sequence[str]) -> bool:
    name = relative[-1]
    if name == "conftest.py" or name.startswith("test_") or name.endswith("_test.py"):
        return True
    return any(folder in folder_names.TESTS for folder in relative[:-1]) or has_test_cases(file)


def has_test_cases(file: Path) -> bool:
    """Say whether `file` is one of `TEST_CASE_NAMES` and has `unittest.TestCase` classes.

    Its name alone could also mean a part of the application about tests.
    """
    # Names that other modules may have, too.
    if not any(file.match(name) for name in ("tests.py", "*_tests.py", "tests_*.py")):
        return False
    try:
        return b"TestCase" in file.read_bytes()
    except OSError:
        return False
