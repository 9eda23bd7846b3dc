"""What the flask command reads from files is read as it reads it, and written as a fixture."""

from __future__ import annotations

import os
import pathlib
import re
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_evosearch.sut.finding.dotenv_files import source_of
from pytest_evosearch.sut.finding.dotenv_files import variables_of_files
from pytest_evosearch.sut.finding.dotenv_files import variables_of_the_command


def find_dotenv(name: str, *, usecwd: bool) -> str:
    """Find a file upwards, as python-dotenv does."""
    assert usecwd
    here = Path.cwd()
    return next((str(one / name) for one in (here, *here.parents) if (one / name).exists()), "")


def dotenv_values(path: str | Path, **_options: Any) -> dict[str, str | None]:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {name: text for name, _, text in (line.partition("=") for line in lines)}


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    """Return a project below a folder with a ``.env``, where python-dotenv is installed."""
    dotenv: Any = ModuleType("dotenv")
    dotenv.__spec__ = ModuleSpec("dotenv", None)
    dotenv.find_dotenv, dotenv.dotenv_values = find_dotenv, dotenv_values
    monkeypatch.setitem(sys.modules, "dotenv", dotenv)
    for name in ("CLUB_KIND", "CLUB_NAME", "FLASK_APP"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLUB_PORT", "5000")
    root = tmp_path / "club"
    root.mkdir()
    command = "FLASK_APP=club\nFLASK_DEBUG=1\nFLASK_RUN_PORT=1\n"
    (root / ".flaskenv").write_text(f"{command}CLUB_KIND=plain\nCLUB_NAME=chess\nCLUB_PORT=1\n")
    (tmp_path / ".env").write_text("CLUB_NAME=go\n")
    return root


def test_dot_env_goes_before_dot_flaskenv_and_the_environment_before_both(project: Path) -> None:
    before = dict(os.environ)
    assert variables_of_files(project) == {"CLUB_KIND": "plain", "CLUB_NAME": "go"}
    assert variables_of_the_command(project)["FLASK_APP"] == "club"
    assert dict(os.environ) == before


def test_without_python_dotenv_nothing_is_read(project: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "dotenv", None)
    monkeypatch.delitem(sys.modules, "dotenv")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert variables_of_files(project) == {}


def test_the_written_fixture_reads_the_files_and_holds_no_value(project: Path) -> None:
    folder = project / "tests" / "evosearch"
    folder.mkdir(parents=True)
    text = source_of(project, folder)
    assert "chess" not in text
    place = str(folder / "conftest.py")
    namespace: dict[str, Any] = {
        "pytest": pytest,
        "os": os,
        "re": re,
        "pathlib": pathlib,
        "__file__": place,
    }
    exec(text.replace('@pytest.fixture(scope="session", autouse=True)\n', ""), namespace)
    running = namespace["added_variables_of_files"]()
    next(running)
    assert (os.environ["CLUB_KIND"], os.environ["CLUB_NAME"]) == ("plain", "go")
    assert os.environ["CLUB_PORT"] == "5000"
    assert "FLASK_DEBUG" not in os.environ
    next(running, None)
    assert "CLUB_KIND" not in os.environ
