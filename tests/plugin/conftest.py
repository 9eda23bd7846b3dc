from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import flask  # noqa: F401 - kept loaded, or every test in this process would load it anew
import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


class Project:
    """A project in a temporary folder, on which pytest is run with a scripted engine."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.monkeypatch = monkeypatch
        self.plugins = ["-p", "scripted_engine", "-p", "pytest_evosearch.plugin"]

    def run(
        self, *arguments: str, script: str = "plain", subprocess: bool = False
    ) -> pytest.RunResult:
        self.monkeypatch.setenv("EVOSEARCH_SCRIPT", script)
        run = self.pytester.runpytest_inprocess
        if subprocess:
            run = self.pytester.runpytest_subprocess
        return run(*self.plugins, *arguments)

    def search(self, *arguments: str, **options: Any) -> pytest.RunResult:
        return self.run("--evosearch=5x", "--evosearch-level=0", *arguments, **options)

    def write(self, **files: str) -> None:
        """Write modules by name; two underscores stand for a folder's slash."""
        for name, text in files.items():
            path = self.path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    @property
    def told(self) -> dict[str, Any]:
        """What the scripted engine wrote down."""
        told: dict[str, Any] = json.loads((self.path / "told.json").read_text())
        return told


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE / "engines"), str(REPOSITORY)]))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("CI", raising=False)
    pytester.syspathinsert(HERE / "engines")
    pytester.makeini("[pytest]\n")
    return Project(pytester, monkeypatch)


SHOP = """
from flask import Flask, request, session


def create_app(config=None):
    app = Flask(__name__)
    app.config.update(SECRET_KEY="dev", **(config or {}))

    @app.get("/")
    def index():
        print("NOISE from the application")
        return session.get("user") or request.headers.get("X-Api-Key") or "nobody"

    @app.post("/login")
    def login():
        session["user"] = request.form["name"]
        return "welcome"

    return app
"""

SHOP_CONFTEST = """
import pytest
from shop import create_app


@pytest.fixture
def app():
    return create_app({"TESTING": True})


@pytest.fixture
def client(app):
    return app.test_client()
"""

SHOP_TEST = """
def test_index(client):
    assert client.get("/").status_code == 200
"""


@pytest.fixture
def shop(project: Project) -> Project:
    """A project with an application, its fixtures and a test."""
    project.write(shop=SHOP, conftest=SHOP_CONFTEST, test_shop=SHOP_TEST)
    project.pytester.syspathinsert()
    return project


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """A session gives back what it patched, whatever way it ended."""
    before = (sqlite3.connect, sqlite3.dbapi2.connect, time.sleep, signal.getsignal(signal.SIGINT))
    yield
    after = (sqlite3.connect, sqlite3.dbapi2.connect, time.sleep, signal.getsignal(signal.SIGINT))
    assert after == before
