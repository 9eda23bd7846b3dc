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
        cache = os.path.join(folder, "__pycache__")
        with suppress(OSError):
            found = [one for one in os.listdir(cache) if _is_of(one, names)]
            target = str(place.joinpath(*Path(folder).parts[1:]))
            if found:
                os.makedirs(target, exist_ok=True)
            for one in found:
                _link(os.path.join(cache, one), os.path.join(target, one))


def _by_folder(modules: Iterable[ModuleType], root: Path) -> dict[str, set[str]]:
    """Return the names of modules by the folder of their source.

    These are texts, because there are two thousand modules, and paths would take most of the time.
    """
    found: dict[str, set[str]] = {}
    below_root = os.path.join(root, "")
    for module in modules:
        file = _file_of(module)
        if file.endswith(".py") and os.path.isabs(file) and not file.startswith(below_root):
            folder, name = os.path.split(file)
            found.setdefault(folder, set()).add(name.removesuffix(".py"))
    return found


def _file_of(module: ModuleType) -> str:
    """Return the source file of a module, or ""; a module with lazy attributes is not asked."""
    try:
        file = vars(module).get("__file__")
    except TypeError:
        return ""
    return file if isinstance(file, str) else ""


def _is_of(name: str, modules: set[str]) -> bool:
    """Say whether a file is the bytecode of one of `modules` for this interpreter."""
    stem, _, rest = name.partition(".")
    return stem in modules and rest.startswith(str(sys.implementation.cache_tag))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        pass
    except OSError:  # another file system
        with suppress(OSError):
            shutil.copy2(source, target)
