"""--evosearch-mutants: a score of the written tests, from the option to the reports."""

from __future__ import annotations

import json
import sys

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

SHOP = """
from flask import Flask, jsonify, request

app = Flask(__name__)


@app.get("/price")
def price():
    count = request.args.get("count", 1, type=int)
    return jsonify(total=7 * count, currency="EUR")
"""


@pytest.fixture
def shop(project):
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(shop=SHOP)
    project.pytester.syspathinsert()
    return project


def test_the_score_is_told_and_reported(shop):
    pytest.importorskip("mutmut.mutation.mutators")

    shop.measure()  # which lines a test runs decides against which mutants
    given = ["--evosearch=20x", "--evosearch-seed=1", "--evosearch-mutants=6"]
    result = shop.run(*given, subprocess=True, once=True)

    result.stdout.re_match_lines([r"mutation score \d+ % \(\d of 6 mutants failed a test\).*"])
    folder = shop.path / ".pytest_cache" / "d" / "evosearch"
    mutation = json.loads((folder / "report.json").read_text())["mutation"]
    assert mutation["mutants"] == 6
    assert mutation["killed"] >= 3
    assert mutation["killed"] + len(mutation["survivors"]) == 6
    assert '<section id="mutants"' in (folder / "report.html").read_text()
    assert (shop.path / "shop.py").read_text() == SHOP


def test_without_mutmut_nothing_is_searched(shop, monkeypatch):
    monkeypatch.setitem(sys.modules, "mutmut.mutation.mutators", None)

    result = shop.run("--evosearch=20x", "--evosearch-mutants=6")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--evosearch-mutants needs mutmut*pip install*mutation*"])


def test_a_negative_number_is_refused(shop):
    result = shop.run("--evosearch=20x", "--evosearch-mutants=-1")

    assert result.ret == 4
    told = "*--evosearch-mutants takes a whole number from 0 to 1000000, not -1*"
    result.stderr.fnmatch_lines([told])
