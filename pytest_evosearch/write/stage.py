"""Lets a suite be written and verified beside its place, and moves it to its place at the end.

    .evosearch-unverified     beside ``evosearch``: pytest looks into no folder that begins so
    evosearch_unverified      in a package, whose modules have to have names that can be imported

The folder has the parents of the place, so fixtures, relative paths and imports work as in the
place. All files of the place are copied, because edited tests may use them. After verification,
each file is moved in one step. A journal (`core.safekeeping`) tells the next run which files remain
to be moved if this run dies. Until then the place does not change, however the run ends.

A folder with many other files, or the project itself, is not copied. There, tests are written in
place, and this journal restores the former files.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from errno import ENOENT
from pathlib import Path

from pytest_evosearch.core.atomic import move
from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.write.modules.browser_module import MODULE as BROWSER_MODULE
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.module_texts import PREFIX

MARK = ".evosearch-stage"
"""File in a stage that names the folder it stands for."""

MOST_FILES = 1000
"""Most files of a folder that is copied."""

LARGEST = 64 << 20
"""Most bytes of a folder that is copied (64 MiB)."""

_CACHES = shutil.ignore_patterns("__pycache__", ".*_cache", ".git", "node_modules", BROWSER_MODULE)


@dataclass
class Stage:
    """Where a suite is written; `place` is its final folder."""

    place: Path
    folder: Path
    safe: Safekeeping
    before: Mapping[str, bytes]
    """Name -> former content of our files in the place."""
    _made: list[Path] = field(default_factory=list)
    """Created folders above the stage."""

    def settle(self) -> list[str]:
        """Move the written files to their place; return the files that were edited meanwhile.

        Edited files do not change. Raises `FileNotFoundError` when another program has removed the
        stage: files written there since then were not run.
        """
        if self.folder == self.place:
            return []
        if place_of(self.folder) is None:
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(self.folder))
        written, there = our_files(self.folder), our_files(self.place)
        edited = [name for name in {**written, **there} if there.get(name) != self.before.get(name)]
        changed = [name for name, text in written.items() if there.get(name) != text]
        changed = [name for name in changed if name not in edited]
        obsolete = [name for name in there if name not in written and name not in edited]
        moves = [(self.folder / name, self.place / name) for name in changed]
        gone = [self.place / name for name in obsolete]
        if moves:
            self._made.clear()
            self.place.mkdir(parents=True, exist_ok=True)
        self.safe.keep_moves(moves, gone)
        try:
            _carry_out(moves, gone)
        except KeyboardInterrupt:
            _carry_out(moves, gone)  # half of a suite is no suite
            raise
        if not written:
            with suppress(OSError):  # the folder contains something of other origin
                self.place.rmdir()
        return sorted(edited)

    def close(self) -> None:
        """Remove the folder beside the place."""
        if self.folder != self.place:
            shutil.rmtree(self.folder, ignore_errors=True)
        for folder in reversed(self._made):
            with suppress(OSError):
                folder.rmdir()

    def undo(self) -> None:
        """Restore the place to its former content."""
        if self.folder == self.place:
            for name in our_files(self.place).keys() | self.before.keys():
                content = self.before.get(name)
                with suppress(OSError):
                    if content is None:
                        (self.place / name).unlink(missing_ok=True)
                    elif (self.place / name).read_bytes() != content:
                        replace_content(self.place / name, content)


@contextmanager
def staged(place: Path, root: Path, safe: Safekeeping) -> Iterator[Stage]:
    """Yield a stage for the tests of `place`; an early end of the block changes nothing there.

    `root` is the folder of the project.  Only `Stage.settle` changes the place.
    """
    before = our_files(place)
    stage = Stage(place, place, safe, before)
    try:
        if _can_be_copied(place, root):
            _build(stage)
        else:
            _keep_in_place(stage)
        yield stage
    except BaseException:
        stage.undo()
        raise
    finally:
        stage.close()


def place_of(folder: Path) -> Path | None:
    """Return the folder that `folder` stands for; None when it is no stage."""
    try:
        return folder.with_name(os.fsdecode((folder / MARK).read_bytes()))
    except OSError:
        return None


def our_files(folder: Path) -> dict[str, bytes]:
    """Return the files of a suite in `folder`, by name: fixtures, modules and ledger.

    Moved in this order, no module is there before the fixtures that it needs.
    """
    modules = sorted(path.name for path in folder.glob(f"{PREFIX}*.py"))
    found = {}
    for name in ["__init__.py", "conftest.py", *modules, LEDGER]:
        with suppress(OSError):
            found[name] = (folder / name).read_bytes()
    return found


def _build(stage: Stage) -> None:
    above = stage.place.parent
    missing = [one for one in (above, *above.parents) if not one.exists()]
    is_package = any((one / "__init__.py").exists() for one in (above, stage.place))
    name = f"{stage.place.name}_unverified" if is_package else f".{stage.place.name}-unverified"
    above.mkdir(parents=True, exist_ok=True)
    stage._made += reversed(missing)
    folder, number = above / name, 1
    while folder.exists():  # another run is active
        number += 1
        folder = above / f"{name}_{number}"
    stage.safe.keep_scratch(folder)
    stage.folder = folder
    folder.mkdir()
    if stage.place.is_dir():
        shutil.copytree(stage.place, folder, symlinks=True, ignore=_CACHES, dirs_exist_ok=True)
    (folder / MARK).write_bytes(os.fsencode(stage.place.name))


def _keep_in_place(stage: Stage) -> None:
    for name in stage.before:
        stage.safe.keep_file(stage.place / name)


def _can_be_copied(place: Path, root: Path) -> bool:
    here = Path(os.path.realpath(place))
    if Path(os.path.realpath(root)).is_relative_to(here):
        return False
    files = size = 0
    for folder, _folders, names in os.walk(here):
        files += len(names)
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
        if files > MOST_FILES or size > LARGEST:
            return False
    return True


def _carry_out(moves: Sequence[tuple[Path, Path]], gone: Sequence[Path]) -> None:
    """Move and remove what has not been moved and removed yet."""
    for source, target in moves:
        if source.exists():
            _take_over_mode(source, target)
            move(source, target)
    for path in gone:
        path.unlink(missing_ok=True)


def _take_over_mode(source: Path, target: Path) -> None:
    with suppress(OSError):
        os.chmod(source, os.stat(target).st_mode & 0o7777)
