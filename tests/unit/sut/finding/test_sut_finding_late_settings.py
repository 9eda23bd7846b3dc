"""Settings that a program sets when it starts are found, and set by running it up to there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_evosearch.sut.finding.discovery import load_application
from pytest_evosearch.sut.finding.late_settings import late_settings

MODULE = "keeper_of_late_settings"
KEEPER = """
import argparse
from flask import Flask

app = Flask(__name__)


@app.get("/")
def index():
    return app.config["WATCH"]["key"] + app.config["UNIT"]


def serve(options):
    app.config["WATCH"] = {"key": options.key}
    app.config["UNREAD"] = 1
    app.run()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key", default="a-key")
    serve(parser.parse_args())


app.config["UNIT"] = "hours"
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delenv("FLASK_APP", raising=False)
    (tmp_path / f"{MODULE}.py").write_text(KEEPER)
    yield tmp_path
    sys.modules.pop(MODULE, None)


def test_only_what_is_read_and_not_set_is_late(project: Path) -> None:
    assert late_settings({"UNIT"}, project) == {"WATCH": f"{MODULE}.py:14"}
    assert late_settings({"UNIT", "WATCH"}, project) == {}


def test_the_program_is_run_up_to_its_server(project: Path) -> None:
    loaded = load_application(None, project)
    assert loaded.app.test_client().get("/").text == "a-keyhours"
    assert loaded.program is not None


def test_settings_that_no_run_sets_are_told_with_their_place(project: Path) -> None:
    without_start = KEEPER.replace("    main()\n", "    print('no server')\n")
    (project / f"{MODULE}.py").write_text(without_start.replace("def main()", "def begin()"))
    loaded = load_application(None, project)
    assert loaded.program is None
    assert f"settings that only a program sets: WATCH ({MODULE}.py:14)" in loaded.tried
