"""What cannot be searched is refused with one clear line, and nothing is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

APPLICATION = """
from flask import Flask

app = Flask(__name__)


@app.get("/")
def index():
    return "hello"
"""

RAISING = """
SETTINGS = {}

KEY = SETTINGS["NO_SUCH_KEY_FOR_SURE"]
"""

LEAVING = """
import sys

sys.exit("no configuration")
"""

WITHOUT_ENDPOINTS = """
from flask import Flask

app = Flask(__name__, static_folder=None)
"""


@pytest.fixture
def engine(project):
    """The project fixture, with the real engine."""
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(hello=APPLICATION)
    return project


def refusal(engine, *arguments: str, code: int = 4) -> str:
    """Return the one line that explains why nothing was done."""
    result = engine.run(*arguments)
    assert result.ret == code
    assert not (engine.path / "evosearch").exists()
    lines = result.errlines if code == 4 else result.outlines
    (line,) = [line for line in lines if line.startswith(("ERROR: evosearch: ", "evosearch: no"))]
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    return line


def test_unknown_application(engine) -> None:
    line = refusal(engine, "--evosearch=60x", "--evosearch-app=nope:app")
    assert "--evosearch-app=nope:app could not be loaded" in line
    assert "ModuleNotFoundError: No module named 'nope'; write module:name" in line


def test_service_that_is_down_while_the_application_is_loaded(engine) -> None:
    engine.write(
        mailing="import socket\nfrom flask import Flask\napp = Flask(__name__)\n"
        "socket.create_connection(('127.0.0.1', 9))\n"
    )
    line = refusal(engine, "--evosearch=60x", "--evosearch-app=mailing:app")
    assert "(mailing.py:4)" in line
    assert "needs a service that is not running: 127.0.0.1:9 (connection refused); start it" in line


def test_unknown_name_in_a_known_module(engine) -> None:
    line = refusal(engine, "--evosearch=60x", "--evosearch-app=hello:application")
    assert "hello has no 'application' (applications and factories in it: app)" in line


@pytest.mark.parametrize("budget", ["soon", "10", "0x", "-5s"])
def test_bad_budget(engine, budget: str) -> None:
    line = refusal(engine, f"--evosearch={budget}", "--evosearch-app=hello:app")
    assert f"'{budget}' is " in line
    assert ": write " in line
    assert not (engine.path / "evosearch").exists()


def test_application_that_raises_on_import(engine) -> None:
    engine.write(raising=RAISING)
    line = refusal(engine, "--evosearch=60x", "--evosearch-app=raising:app")
    assert "KeyError: 'NO_SUCH_KEY_FOR_SURE' (raising.py:4)" in line


def test_application_that_leaves_on_import(engine) -> None:
    engine.write(leaving=LEAVING)
    line = refusal(engine, "--evosearch=60x", "--evosearch-app=leaving:app")
    assert "SystemExit: no configuration (leaving.py:4)" in line


def test_application_without_endpoints(engine) -> None:
    engine.write(bare=WITHOUT_ENDPOINTS)
    line = refusal(engine, "--evosearch=60x", "--evosearch-app=bare:app", code=5)
    assert "no endpoint to search: bare:app serves nothing but static files" in line
    assert "--evosearch-app=module:function" in line


def test_pattern_that_matches_nothing(engine) -> None:
    line = refusal(
        engine, "--evosearch=60x", "--evosearch-app=hello:app", "--evosearch-only=/nothing"
    )
    assert "--evosearch-only='/nothing' matches no endpoint" in line


def test_file_in_the_place_of_the_output_folder(engine) -> None:
    obstacle = engine.path / "obstacle"
    obstacle.write_text("kept")
    line = refusal(
        engine, "--evosearch=60x", "--evosearch-app=hello:app", "--evosearch-output=obstacle"
    )
    assert f"{obstacle} is not a folder; choose another with --evosearch-output=DIR" in line
    assert "--evosearch-output=DIR" in line
    assert obstacle.read_text() == "kept"


def test_output_folder_out_of_the_reach_of_the_fixtures(engine) -> None:
    engine.pytester.syspathinsert()
    tests = engine.path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(
        "import pytest\nfrom hello import app\n\n@pytest.fixture\n"
        "def client():\n    return app.test_client()\n"
    )
    (tests / "test_a.py").write_text("def test_a(client): pass\n")
    line = refusal(engine, "--evosearch=60x", "--evosearch-output=made")
    assert (
        f"--evosearch-output={engine.path / 'made'}: tests there do not find the fixture "
        f'"client" (tests/conftest.py:4); choose a folder below {tests}'
    ) in line
    assert not (engine.path / "made").exists()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_read_only_output_folder(engine) -> None:
    locked = Path(engine.path / "locked")
    locked.mkdir(mode=0o500)
    line = refusal(
        engine, "--evosearch=60x", "--evosearch-app=hello:app", "--evosearch-output=locked"
    )
    assert f"cannot write tests to {locked}: Permission denied" in line


WRONG = {
    "schema that is not there": ("--evosearch-schema=no.yaml", "no.yaml: no such file"),
    "schema that is none": ("--evosearch-schema=other.json", "neither JSON nor YAML with a"),
    "route without a schema": ("--evosearch-schema=/none.json", "the route answers 404"),
    "application that is no name": (
        "--evosearch-app=hello:1+",
        "'1+' is neither a name nor a call",
    ),
    "pattern that is none": ("--evosearch-only=[", "--evosearch-only='[' matches no endpoint"),
    "server that is not there": (
        "--evosearch-url=http://127.0.0.1:1",
        "the server does not answer",
    ),
}
"""What is wrong -> the option, and what is told once the application is looked for."""


@pytest.mark.parametrize("wrong", WRONG)
def test_value_that_turns_out_to_be_wrong(engine, wrong: str) -> None:
    (engine.path / "other.json").write_text('{"a": 1}')
    option, told = WRONG[wrong]
    named = ["--evosearch-app=hello:app"] if "-app=" not in option and "-url=" not in option else []
    assert told in refusal(engine, "--evosearch=5x", *named, option)
