"""A package that brings a plugin of pytest's is imported before the search can watch it."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

PRICES = """
def price_of(plan, seats):
    return 3 * int(seats) if plan == "basic" else 0
"""

APP = """
from flask import Flask, request
from shopkit.prices import price_of


def create_app():
    app = Flask(__name__)

    @app.get("/price")
    def price():
        return {"price": price_of(request.args.get("plan"), request.args.get("seats", "1"))}

    return app
"""

PLUGIN = """
import pytest
from shopkit import create_app


def pytest_addoption(parser):
    parser.addoption("--backend", default="memory")


@pytest.fixture
def client():
    return create_app().test_client()
"""


@pytest.fixture
def kit(project, monkeypatch):
    """Return a project whose application brings the fixture `client` by a plugin."""
    project.write(
        shopkit__prices=PRICES,
        shopkit__plugin=PLUGIN,
        test_price="def test_price(client):\n    assert client.get('/price').status_code == 200\n",
    )
    (project.path / "shopkit" / "__init__.py").write_text(APP)
    monkeypatch.setenv("PYTHONPATH", str(project.path), prepend=":")
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "shopkit.plugin"]
    return project


def search(kit):
    arguments = ["-p", "no:cacheprovider", "--evosearch-seed=1", "--evosearch=20x"]
    return kit.run(*arguments, subprocess=True, once=True)


def test_a_package_that_brings_a_plugin_is_loaded_anew_and_instrumented(kit) -> None:
    result = search(kit)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*shopkit was imported before the search, *: it was loaded again, with probes*",
            "*source   shopkit (3 modules, * branches)*",
        ]
    )


def test_what_cannot_be_imported_twice_is_told(kit) -> None:
    once = "import sys\nassert not hasattr(sys, 'kit')\nsys.kit = True\n"
    (kit.path / "shopkit" / "prices.py").write_text(once + PRICES)
    result = search(kit)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*shopkit was imported*cannot be imported again*"])
