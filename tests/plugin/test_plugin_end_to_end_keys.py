"""A key that is drawn when the application starts, and that one endpoint hands out."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

GUARDED = """
import secrets

from flask import Flask, jsonify, request

app = Flask(__name__)
KEY = secrets.token_hex(16)


@app.post("/auth")
def authenticate():
    return jsonify(result={"api_key": KEY})


@app.get("/settings")
def settings():
    if request.args.get("api_key") != KEY:
        return jsonify(error="no key"), 401
    return jsonify(result={"api_key": KEY, "language": "en"})


@app.get("/volumes/<int:number>")
def volume(number):
    if request.args.get("api_key") != KEY:
        return jsonify(error="no key"), 401
    if number > 7:
        return jsonify(error="no such volume"), 404
    return jsonify(number=number)
"""

CONFTEST = """
import pytest
from guarded import app


@pytest.fixture
def client():
    return app.test_client()
"""


def test_key_is_fetched_by_the_tests_that_need_it(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(guarded=GUARDED, conftest=CONFTEST, test_own="def test_a(client): pass\n")
    project.pytester.syspathinsert()
    result = project.run("--evosearch=300x", "--evosearch-seed=1")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*dropped*")
    modules = sorted((project.path / "evosearch").glob("test_*.py"))
    written = "".join(module.read_text() for module in modules)
    assert 'query_string={"api_key": authenticated.json["result"]["api_key"]}' in written
    assert '{"number": ' in written
    assert '{"error": "no such volume"}' in written
