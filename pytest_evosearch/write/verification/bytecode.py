"""Lets the first verifying interpreter find existing bytecode of libraries.

The runs keep their bytecode in a folder of their own, so that no files appear beside the user's
files. An interpreter looks there for the bytecode of libraries, too. The first one in a project
would compile Flask, pytest and a thousand other modules, which triples its time. So existing
bytecode is linked into that folder. Python compares the date and size of the source, as always.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from pytest_evosearch.core.isolation import os


def link_bytecode(place: Path, modules: Iterable[ModuleType], root: Path) -> None:
    """Link the bytecode of `modules` into `place`, in the layout of `sys.pycache_prefix`.

    Modules below `root` belong to the project, and are left alone.
    """
    for folder, names in _by_folder(modules, root).items():
        cache = folder / "__pycache__"
        with suppress(OSError):
            found = [one for one in os.listdir(cache) if _is_of(one, names)]
            target = place.joinpath(*folder.parts[1:])
            if found:
                target.mkdir(parents=True, exist_ok=True)
            for one in found:
                _link(cache / one, target / one)


def _by_folder(modules: Iterable[ModuleType], root: Path) -> dict[Path, set[str]]:
    """Return the names of modules by the folder of their source."""
    found: dict[Path, set[str]] = {}
    for module in modules:
        file = _file_of(module)
        if file is not None and file.suffix == ".py" and not file.is_relative_to(root):
            found.setdefault(file.parent, set()).add(file.stem)
    return found


def _file_of(module: ModuleType) -> Path | None:
    """Return the source file of a module; a module with lazy attributes is not asked."""
    try:
        file = vars(module).get("__file__")
    except TypeError:
        return None
    return Path(file) if isinstance(file, str) and os.path.isabs(file) else None


def _is_of(name: str, modules: set[str]) -> bool:
    """Say whether a file is the bytecode of one of `modules` for this interpreter."""
    stem, _, rest = name.partition(".")
    return stem in modules and rest.startswith(str(sys.implementation.cache_tag))


def _link(source: Path, target: Path) -> None:
    if target.exists():
        return
    try:
        os.link(source, target)
    except OSError:  # another file system
        with suppress(OSError):
            shutil.copy2(source, target)
