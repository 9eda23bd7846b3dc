"""Installs the plugin beside what a project has pinned, in a virtual environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("installs old versions of pytest and Flask")

ROOT = Path(__file__).parents[2]

PINS = ["Flask==2.1.3", "Werkzeug==2.1.2", "requests==2.27.1", "coverage==6.5.0"]
if sys.version_info < (3, 12):  # older releases of pytest do not run on newer ones of Python
    PINS += ["pytest==7.0.1", "pluggy==1.0.0"]

TEST = """
from flask import Flask

def test_a():
    assert Flask("old").test_client().get("/").status_code == 404
"""


def called(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    command = [str(python), *arguments]
    return subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """Return the interpreter of an environment with the pins, and then the plugin."""
    folder = tmp_path_factory.mktemp("old")
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    for wanted in (PINS, [str(ROOT)]):
        installed = pip(python, "install", "--quiet", "--no-compile", *wanted)
        assert installed.returncode == 0, installed.stderr
    return python


def pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run our own pip for another interpreter: installing one there takes longer than all else."""
    folder = python.parent
    return called(
        Path(sys.executable), "-m", "pip", "--python", str(python), *arguments, cwd=folder
    )


def test_installing_the_plugin_changes_no_pin(python) -> None:
    freeze = pip(python, "freeze").stdout.lower().split()
    assert {pin.lower() for pin in PINS} <= set(freeze)


def test_the_tests_of_an_old_project_run_as_ever(python, tmp_path) -> None:
    (tmp_path / "test_old.py").write_text(TEST)
    result = called(python, "-m", "pytest", "-q", "-W", "error", cwd=tmp_path)
    assert (result.returncode, "1 passed" in result.stdout) == (0, True), result.stdout


@pytest.mark.parametrize("option", ["--evosearch=5x", "--evosearch-update", "--evosearch-plan"])
def test_a_search_says_in_one_line_what_is_too_old_for_it(python, tmp_path, option) -> None:
    (tmp_path / "test_old.py").write_text(TEST)
    result = called(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", option, cwd=tmp_path)
    [line] = [one for one in (result.stdout + result.stderr).splitlines() if one.strip()]
    assert result.returncode == 4
    assert "Flask 2.1.3 is older than 2.2" in line
    assert "Werkzeug 2.1.2 is older than 2.2" in line
