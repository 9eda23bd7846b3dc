"""What tests may rely on in addition to the project: loaded libraries and their versions."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.write.content.specimen import Specimen

COMMIT = 7
"""Characters of a commit that versions repeat."""

SHORTEST_PLACE = 4
"""Fewest characters of a path or name of this machine: shorter ones occur by chance."""

_SOFTWARE = re.compile(r"\b(Werkzeug|Flask|Jinja2?|Python|CPython)/\d", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z]\w+")
_VERSION = re.compile(r"(?<![\w.])(\d+\.\d+)(?:\.\d+)*(?![\w.])")


def importable_exceptions(specimens: Sequence[Specimen], root: Path) -> frozenset[tuple[str, str]]:
    """Return (module, class) of the exceptions of crashes that a test may import.

    These are exceptions of the standard library and of installed packages. Importing a module of
    the application would load the application before the fixtures do.
    """
    crashes = [
        exchange.crash
        for specimen in specimens
        for exchange in specimen.exchanges
        if exchange.crash is not None
    ]
    return frozenset(
        (crash.module, crash.type_name)
        for crash in crashes
        if is_library(crash.module, root) and is_exception(crash.module, crash.type_name)
    )


def is_library(module: str, root: Path) -> bool:
    """Say whether a loaded module is installed, and not part of the project in `root`."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    path = getattr(sys.modules.get(top), "__file__", None)
    if path is None:
        return False
    parts = Path(path).parts
    if "site-packages" in parts or "dist-packages" in parts:
        return True
    return not Path(path).resolve().is_relative_to(root.resolve())


def is_exception(module: str, name: str) -> bool:
    """Say whether a loaded module has an exception class of that name."""
    found = getattr(sys.modules.get(module), name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def bound_to(text: str, name: str = "") -> str:
    """Return what a response's text depends on in this machine; empty when nothing shows.

    A version may stand under the name of its library: ``{"flask": "3.1.2"}``.
    """
    software = _SOFTWARE.search(text)
    if software is not None:
        return f"depends on the installed {software[1]}"
    library = _library_of_version(f"{name} {text}")
    if library:
        return f"depends on the installed {library}"
    systems, places = _here()
    if text and text in systems:
        return "depends on where it runs"
    places = (os.getcwd(), tempfile.gettempdir(), *places)
    if any(text == place or (len(place) >= SHORTEST_PLACE and place in text) for place in places):
        return "depends on where it runs"
    return ""


@cache
def _here() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of this system, and the places of this machine that never change."""
    told = (platform.release, platform.version, platform.platform, platform.python_version)
    systems = (platform.system(), sys.version, *(one() for one in told))
    library = str(Path(str(platform.__file__)).parent)
    places = (str(Path.home()), platform.node(), library, sys.prefix, sys.base_prefix)
    return systems, (*(one for one in places if one != "/usr"), *_commit(Path(os.getcwd())))


def _commit(folder: Path) -> list[str]:
    """Return the short name of the commit that is checked out around a folder."""
    for git in (one / ".git" for one in (folder, *folder.parents)):
        with suppress(OSError):
            head = (git / "HEAD").read_text(encoding="utf-8").strip()
            reference = head.partition("ref: ")[2]
            commit = (git / reference).read_text(encoding="utf-8") if reference else head
            return [commit[:COMMIT]]
    return []


def _library_of_version(text: str) -> str:
    """Return the loaded library whose name and version are in a text, empty for none.

    An example is ``https://errors.pydantic.dev/2.14/v/missing``, which changes with the next
    release.
    """
    versions = {match[part] for match in _VERSION.finditer(text) for part in (0, 1)}
    if not versions:
        return ""
    names = dict.fromkeys(_NAME.findall(text))
    found = (name for name in names if name.lower() in sys.modules)
    return next((name for name in found if not versions.isdisjoint(_versions_of(name))), "")


def _versions_of(distribution: str) -> set[str]:
    """Return the forms of an installed version in a text: whole, and without its last part."""
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return set()
    return {version, ".".join(version.split(".")[:2])}
