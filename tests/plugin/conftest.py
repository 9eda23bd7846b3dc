from __future__ import annotations

import json
import os
import pkgutil
import signal
import sqlite3
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import flask  # noqa: F401 - kept loaded, or every test in this process would load it anew
import pytest

import pytest_evosearch

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
UNMEASURED = HERE / "unmeasured"

ONCE = ("--evosearch-set", "plan.circumstances=first")
"""For searches in which the question is not how tests are verified: that takes most of the time."""


WITHOUT_FORKS = ("--evosearch-set", "state.fork=never")
"""For searches in which the question is not how state is restored: a fifth of their time."""


def search_path(*folders: Path) -> str:
    """Return a PYTHONPATH of these folders."""
    return os.pathsep.join(map(str, folders))


@pytest.fixture(scope="session", autouse=True)
def loaded_plugin() -> None:
    """Load all modules of the plugin once.

    A run in this process forgets what it has imported, so each would load hundreds of modules anew.
    """
    for module in pkgutil.walk_packages(pytest_evosearch.__path__, "pytest_evosearch."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # of what is not installed here, or not on this system
                import_module(module.name)


class Project:
    """A project in a temporary folder, on which pytest is run with a scripted engine."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.monkeypatch = monkeypatch
        self.plugins = ["-p", "scripted_engine", "-p", "pytest_evosearch.plugin"]

    def run(
        self,
        *arguments: str,
        script: str = "plain",
        subprocess: bool = False,
        once: bool = False,
        forks: bool = True,
    ) -> pytest.RunResult:
        """Run pytest.

        With `once`, what is written is verified in one way only.  Without `forks`, responses are
        not compared with those of untouched processes.  Both are for other questions.
        """
        self.monkeypatch.setenv("EVOSEARCH_SCRIPT", script)
        run = self.pytester.runpytest_inprocess
        if subprocess:
            run = self.pytester.runpytest_subprocess
        # In front: what the test itself asks for counts.
        arguments = (*(() if forks else WITHOUT_FORKS), *arguments)
        return run(*self.plugins, *arguments, *(ONCE if once else ()))

    def search(self, *arguments: str, **options: Any) -> pytest.RunResult:
        return self.run("--evosearch=5x", "--evosearch-level=0", *arguments, **options)

    def measure(self) -> None:
        """Let what a search writes be measured by coverage.py, as where that is installed."""
        self.monkeypatch.setenv("PYTHONPATH", search_path(HERE / "engines", REPOSITORY))

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
    monkeypatch.setenv("PYTHONPATH", search_path(UNMEASURED, HERE / "engines", REPOSITORY))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("PYTEST_PLUGINS", raising=False)
    monkeypatch.delenv("CI", raising=False)
    # These tests may run in a worker of pytest-xdist; what they start does not.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)
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


ORDERS = """
import time

from flask import Blueprint, Flask, jsonify, request

admin = Blueprint("admin", __name__, url_prefix="/admin")


@admin.get("/log")
def log():
    return "nothing happened"


def create_app():
    app = Flask(__name__)
    app.testing = True
    app.register_blueprint(admin)
    orders = {}

    @app.post("/orders")
    def create():
        voucher = request.form.get("voucher", "")
        if voucher and sum(map(ord, voucher)) != 353:
            return jsonify(error="no such voucher"), 422
        number = len(orders) + 1
        orders[number] = {"number": number, "at": time.time(), "payment": "p-7"}
        if voucher:
            orders[number]["voucher"] = voucher
        return jsonify(orders[number]), 201

    @app.get("/orders/<int:number>")
    def show(number):
        if number not in orders:
            return jsonify(error="no such order"), 404
        return jsonify(orders[number])

    return app
"""
"""A voucher is accepted whose characters add up, as those of GIFT7 do."""

ORDERS_CONFTEST = """
import pytest
from orders import create_app


@pytest.fixture
def app():
    return create_app()


@pytest.fixture
def client(app):
    return app.test_client()


hook = pytest.hookimpl(optionalhook=True)
"""


class OrdersProject(Project):
    """A project with fixtures, searched by the real engine, whose conftest.py has hooks."""

    def search_with(
        self,
        hooks: str,
        *arguments: str,
        budget: str = "100x",
        seed: int = 1,
        subprocess: bool = False,
    ) -> pytest.RunResult:
        """Search with these hooks, each marked with ``@hook``; run what is written once.

        Nothing is compared with forks, unless the arguments say so: the orders need none.
        """
        self.write(conftest=ORDERS_CONFTEST + hooks)
        given = [f"--evosearch={budget}", f"--evosearch-seed={seed}", *WITHOUT_FORKS, *arguments]
        return self.run(*given, subprocess=subprocess, once=True, forks=False)

    @property
    def modules(self) -> dict[str, str]:
        """The written modules by name."""
        found = sorted((self.path / "evosearch").glob("test_*.py"))
        return {path.name: path.read_text() for path in found}

    @property
    def written(self) -> str:
        """The text of all written modules."""
        return "\n".join(self.modules.values())

    def passes_without_plugin(self) -> bool:
        """Say whether the written tests pass where the plugin is not loaded."""
        result: pytest.RunResult = self.pytester.runpytest_subprocess("evosearch")
        return result.ret == 0


@pytest.fixture
def orders(project: Project) -> OrdersProject:
    """A project with orders, to which a test adds hooks."""
    found = OrdersProject(project.pytester, project.monkeypatch)
    found.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    found.write(orders=ORDERS, test_own="def test_own(client): pass\n")
    found.pytester.syspathinsert()
    return found


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """A session gives back what it patched, whatever way it ended."""
    before = (sqlite3.connect, sqlite3.dbapi2.connect, time.sleep, signal.getsignal(signal.SIGINT))
    yield
    after = (sqlite3.connect, sqlite3.dbapi2.connect, time.sleep, signal.getsignal(signal.SIGINT))
    assert after == before
