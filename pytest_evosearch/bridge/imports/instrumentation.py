"""Installs, as early as pytest allows, what must exist before the application is imported."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from pytest_evosearch.bridge.command_line.project_root import project_root
from pytest_evosearch.bridge.command_line.pytest_options import value_of
from pytest_evosearch.bridge.imports.code_folder import code_folder
from pytest_evosearch.bridge.imports.filtered_warnings import forget_filtered_packages
from pytest_evosearch.bridge.imports.loaded_modules import load_anew
from pytest_evosearch.bridge.internals import AssertionRewritingHook
from pytest_evosearch.bridge.island_processes import Identity
from pytest_evosearch.bridge.island_processes import kept_apart
from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import Selection
from pytest_evosearch.instrument import install
from pytest_evosearch.instrument.loading.coverage_settings import excluded_lines
from pytest_evosearch.settings.options import EVERY_UNIT
from pytest_evosearch.settings.options import HIGHEST_LEVEL
from pytest_evosearch.settings.options import option_named
from pytest_evosearch.sut.database_servers.connections import installed_server_hook
from pytest_evosearch.sut.green_threads import unpatched_standard_library
from pytest_evosearch.sut.sandbox.process_ends import installed_ends
from pytest_evosearch.sut.watching.sqlite_connections import installed_hook

SOURCE_FOLDERS = (".", "src")
"""Folders below its root in which a project has its packages."""


def start_instrumentation(config: pytest.Config) -> Recording | None:
    """Install the finder for the chosen packages, or for all that is below the root folder.

    Return None at level 0, the black box, and for a running server.  The check of all settings
    refuses wrong values later: before pytest 8 an exception in this early hook makes pluggy warn.
    """
    level = _level(config)
    if level == 0 or _value(config, "url"):
        return None
    root = project_root(config)
    selection = Selection(packages=_packages(config), root=root)
    forget_filtered_packages(config, selection)
    recording = install(
        selection,
        level=level,
        cache=code_folder(config),
        excluded=excluded_lines(root),
        replaceable=(AssertionRewritingHook,),
    )
    load_anew(config, selection, recording)
    return recording


def install_stand_ins(config: pytest.Config) -> ExitStack:
    """Put stand-ins into `sqlite3` and `os`, for modules that import ``connect`` or ``kill``.

    The standard library cannot be patched for green threads.  No code uses the stand-ins before the
    application is prepared.  An island works on its own files from the beginning.  Closing the
    result removes all of this.
    """
    stack = ExitStack()
    stack.enter_context(installed_hook())
    stack.enter_context(installed_server_hook())
    identity = Identity.own()
    if identity is not None:
        stack.enter_context(kept_apart(identity, project_root(config)))
    stack.enter_context(installed_ends())
    stack.enter_context(unpatched_standard_library())
    return stack


def _level(config: pytest.Config) -> int:
    try:
        level = int(str(_value(config, "level")))
    except ValueError:
        return HIGHEST_LEVEL
    return level if 0 <= level <= HIGHEST_LEVEL else HIGHEST_LEVEL


def _packages(config: pytest.Config) -> tuple[str, ...]:
    """Return the packages to instrument; () for everything below the root folder.

    If the user named an application that is not the project's own, its package is instrumented.
    """
    units = _value(config, "units")
    if isinstance(units, list) and EVERY_UNIT not in units:
        return tuple(dict.fromkeys(str(name).partition(":")[0] for name in units))
    packages = _value(config, "source")
    if isinstance(packages, list):
        return tuple(str(name) for name in packages)
    module = str(_value(config, "app") or "").partition(":")[0].strip()
    package = module.partition(".")[0]
    if not package.isidentifier() or module.endswith(".py"):
        return ()
    if _is_own(package, project_root(config)):
        return ()
    return (package,)


def _is_own(package: str, root: Path) -> bool:
    places = [root / folder / package for folder in SOURCE_FOLDERS]
    return any(place.is_dir() or place.with_suffix(".py").exists() for place in places)


def _value(config: pytest.Config, name: str) -> object:
    try:
        return value_of(config, config.known_args_namespace, option_named(name))
    except pytest.UsageError:
        return None
