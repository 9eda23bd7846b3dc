"""Applications whose key to sign with comes from a variable of the environment that is not set."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
import os

from flask import Flask, session


def create_app():
    app = Flask(__name__)
    app.config["SECRET_KEY"] = os.environ.get("SECRET_KEY")

    @app.post("/visits")
    def visit():
        session["visits"] = session.get("visits", 0) + 1
        return {"visits": session["visits"]}, 201

    return app
"""

CASE = """
import unittest
from visits import create_app


class TestVisits(unittest.TestCase):
    def setUp(self):
        self.client = create_app().test_client()

    def test_visit(self):
        assert self.client.get("/visits").status_code == 405
"""

TOLD = "*the environment sets no key to sign with: the search and its tests set SECRET_KEY=*"


@pytest.mark.parametrize("files", [{}, {"test_visits": CASE}], ids=["alone", "case"])
def test_search_and_tests_sign_with_a_key_of_their_own(project, monkeypatch, files) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)

    result = _searched(project, visits=APPLICATION, **files)

    result.stdout.fnmatch_lines([TOLD])
    written = "".join(path.read_text() for path in project.path.rglob("evosearch/*.py"))
    assert "def key_to_sign_with(client):" in written
    assert 'json == {"visits": 1}' in written
    assert "RuntimeError" not in written


def _searched(project, **files):
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(**files)
    return project.run("--evosearch=20x", "--evosearch-seed=1", subprocess=True, once=True)
