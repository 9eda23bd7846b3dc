"""Lets the first verifying interpreter find the bytecode that lies beside the libraries.

The runs keep what they compile in a folder of their own, so that nothing appears beside the user's
files.  There an interpreter looks for the bytecode of libraries, too, and the first ones in a
project would compile Flask, pytest and a thousand modules more: 3.2 seconds of processor time for
four tests instead of 0.9.  So what is compiled already is linked into that folder.  Python compares
the date and size of the source, as it always does.
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
    """Link the bytecode of `modules` into `place`, as `sys.pycache_prefix` is laid out.

    Modules below `root` are the project's own, and are left alone.
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
    """Return the names of modules by the folder in which their sources lie."""
    found: dict[Path, set[str]] = {}
    for module in modules:
        file = _file_of(module)
        if file is not None and file.suffix == ".py" and not file.is_relative_to(root):
            found.setdefault(file.parent, set()).add(file.stem)
    return found


def _file_of(module: ModuleType) -> Path | None:
    """Return the source of a module; one that makes its attributes on demand is not asked."""
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
