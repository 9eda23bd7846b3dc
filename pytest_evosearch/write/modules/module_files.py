"""Writes modules to disk: atomically, in one folder, and never over edited files.

In this package, only this module and `verify` have effects on the system.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.finding.project_scan import source_files
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.modules.ledger import ExistingModule
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import parse_existing
from pytest_evosearch.write.modules.module_texts import PREFIX


class OutputError(EvosearchUsageError):
    """Says that the folder for the tests is not writable."""


def check_writable(folder: Path) -> None:
    """Raise `OutputError` with one line unless tests can be written to `folder`.

    The check leaves nothing behind, and does not create a missing folder.
    """
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise OutputError(
            f"cannot write tests to {folder}: {place} is not a folder; "
            "choose another with --evosearch-output=DIR"
        )
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise OutputError(
            f"cannot write tests to {folder}: {error.strerror or error}; "
            "make it writable or choose another with --evosearch-output=DIR"
        ) from error


def prepare_folder(folder: Path, support: Support) -> list[str]:
    """Create the folder, copy the parent's ``__init__.py``, add a conftest.py where needed.

    Returns the names of the created files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    if (folder.parent / "__init__.py").exists() and not (folder / "__init__.py").exists():
        write_atomically(folder / "__init__.py", "")
        made.append("__init__.py")
    if support.conftest is not None and not (folder / "conftest.py").exists():
        write_atomically(folder / "conftest.py", support.conftest)
        made.append("conftest.py")
    return made


def discard_files(folder: Path, made: Iterable[str]) -> None:
    """Undo `prepare_folder`, when no test was written."""
    for name in made:
        (folder / name).unlink(missing_ok=True)


def existing_modules(folder: Path) -> dict[str, ExistingModule]:
    """Return the generated modules in `folder`, by file name."""
    return {path.name: _existing(path) for path in sorted(folder.glob(f"{PREFIX}*.py"))}


def namesakes(folder: Path, root: Path) -> frozenset[str]:
    """Return the names that a module in `folder` must not have.

    A test file outside any package has only its own name. pytest refuses to import a second one of
    this name in one run ("import file mismatch").
    """
    if any((one / "__init__.py").exists() for one in (folder, folder.parent)):
        return frozenset()  # `prepare_folder` makes it a package like its parent
    files = (path for path in source_files(root, tests=True) if path.name.startswith(PREFIX))
    return frozenset(
        path.name
        for path in files
        if path.parent != folder and not (path.parent / "__init__.py").exists()
    )


def _existing(path: Path) -> ExistingModule:
    try:
        return parse_existing(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ExistingModule(readable=False)


def replace_modules(folder: Path, texts: Mapping[str, str], previous: list[str]) -> None:
    """Write `texts` (file name -> source); remove modules of `previous` that are not in them."""
    for name, text in texts.items():
        write_atomically(folder / name, text)
    for name in previous:
        if name not in texts:
            (folder / name).unlink(missing_ok=True)


def read_ledger(path: Path | None) -> Ledger:
    """Read the ledger at `path`, an empty one when it is missing."""
    try:
        return Ledger.parse(path.read_text(encoding="utf-8") if path is not None else None)
    except (OSError, UnicodeDecodeError):
        return Ledger()


def write_ledger(path: Path | None, ledger: Ledger) -> None:
    """Write the ledger for the next run; without tests, remove it."""
    if path is None:
        return
    if not ledger.tests:
        path.unlink(missing_ok=True)
        return
    write_atomically(path, ledger.dump())


def relative(path: Path, root: Path) -> str:
    """Return `path` relative to `root` with forward slashes, or unchanged outside `root`."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
