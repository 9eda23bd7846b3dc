"""The environment of a job: an interpreter with what its application needs."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.applications import Application

REPOSITORY = Path(__file__).parents[1]
TOOLS = ("coverage", "pytest-randomly", "pytest-xdist")


def default_cache() -> Path:
    """Return the folder for virtual environments: ``EVOSEARCH_BENCHMARKS`` or one in the home."""
    named = os.environ.get("EVOSEARCH_BENCHMARKS")
    return Path(named) if named else Path.home() / ".cache" / "evosearch-benchmarks"


def environment_folder(
    application: Application, cache: Path, further: tuple[str, ...] = ()
) -> Path:
    """Return the virtual environment of an application, another one for other requirements."""
    wanted = "\n".join((sys.version, *application.requirements, *TOOLS, *further))
    return cache / f"{application.name}-{hashlib.sha256(wanted.encode()).hexdigest()[:8]}"


def prepare(application: Application, cache: Path, further: tuple[str, ...] = ()) -> Path:
    """Return an interpreter that can import the application and `further` packages.

    It is made if need be.

    Raises:
        subprocess.CalledProcessError: when something cannot be installed.

    """
    if not application.requirements and not further:
        return Path(sys.executable)
    folder = environment_folder(application, cache, further)
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.exists():
        wanted = (*application.requirements, *further)
        print(f"installing {', '.join(wanted)} into {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        command = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            *wanted,
            *TOOLS,
        ]
        subprocess.run([*command, "--editable", str(REPOSITORY)], check=True)
        complete.touch()
    return python


def process_environment() -> dict[str, str]:
    """Return the variables of a job's processes: no plugin but those named, no settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV", "FLASK", "PYTHONHASHSEED", "PYTHONPATH"))
    }
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def search_environment() -> dict[str, str]:
    """Return the variables of a search, which imports the plugin from this repository."""
    return {**process_environment(), "PYTHONPATH": str(REPOSITORY)}
