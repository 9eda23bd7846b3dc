"""Applications that change the environment while they are imported."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
import os

from flask import Flask


def create_app():
    app = Flask(__name__)
    os.environ["FLASK_DEBUG"] = "1"  # as load_dotenv does, too late for this application

    @app.get("/shares/<int:people>")
    def share(people):
        return {"share": 12 // people}

    return app
"""


def test_what_the_application_sets_is_not_there_when_its_tests_begin(project, monkeypatch) -> None:
    monkeypatch.delenv("FLASK_DEBUG", raising=False)
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(shop=APPLICATION)

    result = project.run("--evosearch=30x", "--evosearch-seed=1", subprocess=True, once=True)

    result.stdout.no_fnmatch_line("*no test could be kept*")
    written = "".join(path.read_text() for path in project.path.rglob("test_evosearch_*.py"))
    assert "@pytest.mark.xfail(" in written


CONFTEST = """
import os
import pathlib
import pytest
import shop

with pathlib.Path(__file__).with_name("begun.txt").open("a") as file:
    file.write(os.environ.get("FLASK_DEBUG", "not set") + "\\n")

APP = shop.create_app()


@pytest.fixture
def client():
    return APP.test_client()
"""


def test_an_update_inherits_nothing_of_it_either(project, monkeypatch) -> None:
    monkeypatch.delenv("FLASK_DEBUG", raising=False)
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(shop=APPLICATION, conftest=CONFTEST)
    project.run("--evosearch=30x", "--evosearch-seed=1", subprocess=True, once=True)

    begun = project.path / "begun.txt"
    begun.unlink()

    result = project.run("--evosearch-update", subprocess=True)

    assert result.ret == 0, result.outlines
    assert set(begun.read_text().split("\n")) == {"not set", ""}
