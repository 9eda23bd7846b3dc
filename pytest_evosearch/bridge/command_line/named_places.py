"""Checks the files, folders and packages that options name, before anything runs."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import PathFinder
from itertools import takewhile
from pathlib import Path

import pytest

from pytest_evosearch.core.isolation import os
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.options import option_named


def check_places(settings: Settings) -> None:
    """Raise `pytest.UsageError`, one line, for a place that its option cannot use."""
    folders = {"output": settings.suite.output, "report": settings.reports.report}
    for name, folder in folders.items():
        if folder is not None:
            _check_folder(option_named(name).flag, folder)
    _check_output(settings)
    if settings.reports.baseline is not None:
        _check_new_file(option_named("baseline").flag, settings.reports.baseline)
    for package in settings.application.source:
        if package.split(".")[0] in sys.stdlib_module_names:
            raise pytest.UsageError(
                f"evosearch: --evosearch-source={package}: this is a part of Python, which a "
                "search itself needs; name a package of the project"
            )
        if not _is_there(package, settings.rootdir):
            raise pytest.UsageError(
                f"evosearch: --evosearch-source={package}: there is no such package or module, "
                f"neither below {settings.rootdir} nor where Python looks; name one that the "
                "application is made of, or leave the option out"
            )


def _check_folder(flag: str, folder: Path) -> None:
    """Refuse a path that is no folder, and where no folder can be made."""
    above = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not above.is_dir():
        raise pytest.UsageError(
            f"evosearch: {flag}={folder}: {above} is not a folder; choose another with {flag}=DIR"
        )
    if not os.access(above, os.W_OK | os.X_OK) or not _can_be_made(folder, above):
        raise pytest.UsageError(
            f"evosearch: {flag}={folder}: {above} cannot be written to; "
            f"choose another with {flag}=DIR"
        )


def _can_be_made(folder: Path, above: Path) -> bool:
    """Say whether `folder` can be made in `above`; remove what is made for the trial."""
    missing = list(takewhile(lambda one: one != above, (folder, *folder.parents)))
    made: list[Path] = []
    try:
        for one in reversed(missing):
            one.mkdir()
            made.append(one)
    except OSError:
        return False
    finally:
        for one in reversed(made):
            one.rmdir()
    return True


def _check_output(settings: Settings) -> None:
    """Refuse a folder above the project: pytest would collect its tests with all other files."""
    folder = settings.suite.output
    if folder is not None and Path(os.path.realpath(folder)) in settings.rootdir.resolve().parents:
        raise pytest.UsageError(
            f"evosearch: --evosearch-output={folder}: the project itself lies in this folder; "
            "choose a folder of its own with --evosearch-output=DIR"
        )


def _check_new_file(flag: str, file: Path) -> None:
    """Refuse a file whose folder does not exist: the path is probably misspelt."""
    if not file.parent.is_dir():
        raise pytest.UsageError(
            f"evosearch: {flag}={file}: there is no folder {file.parent}; "
            f"make it first, or choose another file with {flag}=FILE"
        )


def _is_there(name: str, root: Path) -> bool:
    """Say whether a dotted name leads to a module or package, without importing it."""
    first, *others = name.split(".")
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError):  # loaded without a spec, or by a finder that fails
        return True
    if spec is None:
        # A conftest.py that is loaded later may add its folder to the search path.
        return any(root.rglob(first)) or any(root.rglob(f"{first}.py"))
    for place in range(len(others)):
        dotted = ".".join([first, *others[: place + 1]])
        if spec is None or spec.submodule_search_locations is None:
            return False
        spec = PathFinder.find_spec(dotted, list(spec.submodule_search_locations))
    return spec is not None
