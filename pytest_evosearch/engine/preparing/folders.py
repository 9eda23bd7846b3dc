"""The folders for the tests and the reports of a run."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.handle import Support


def output_folder(settings: Settings, support: Support) -> Path:
    """Return the folder for the modules: the option, or beside the conftest of the client."""
    if settings.suite.output is not None:
        return settings.suite.output
    if support.directory:
        return Path(support.directory) / "evosearch"
    tests = settings.rootdir / "tests"
    return (tests if tests.is_dir() else settings.rootdir) / "evosearch"


def report_folder(settings: Settings) -> Path:
    """Return the folder for reports."""
    return settings.reports.report or settings.rootdir / ".pytest_cache" / "d" / "evosearch"


def shown_path(path: Path, root: Path) -> str:
    """Return `path` relative to `root` if it is below it, with a trailing slash."""
    try:
        return f"{path.relative_to(root).as_posix()}/"
    except ValueError:
        return f"{path.as_posix()}/"
