from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import measure
from benchmarks.applications import BY_NAME

PYTHON = Path(sys.executable)


@pytest.fixture
def project(tmp_path):
    """A copy of SCS in which two of its requests are the written suite."""
    copy = tmp_path / "scs"
    shutil.copytree(BY_NAME["scs"].project, copy, ignore=shutil.ignore_patterns("__pycache__"))
    written = copy / "tests" / "evosearch"
    written.mkdir()
    (written / "test_evosearch_title.py").write_text(
        "def test_get_title(client):\n"
        "    assert client.get('/api/title/male/mr').text == '1'\n\n"
        "def test_get_cookie(client):\n"
        "    assert client.get('/api/cookie/a/b/c').text == '0'\n",
        encoding="utf-8",
    )
    return copy


def test_report_is_read():
    entry = {
        "executed_lines": [1, 2],
        "missing_lines": [3],
        "executed_branches": [[1, 2]],
        "missing_branches": [[1, 3]],
    }

    result = measure.read_report({"files": {"a.py": entry}})

    assert result.covered.lines == {("a.py", 1), ("a.py", 2)}
    assert result.total.counts() == {"lines": 3, "branches": 2}
    assert result.total.without(result.covered).branches == {("a.py", 1, 3)}


@pytest.mark.slow("whole commands run")
def test_what_creation_covers_is_taken_off(project):
    result = measure.measure_suite(PYTHON, project, BY_NAME["scs"])

    assert result["exit_code"] == 0
    assert result["last_line"].startswith("2 passed")
    assert 5 < result["covered"]["lines"] < 40
    assert result["total"]["lines"] > 150
    assert result["total_with_creation"]["lines"] > result["total"]["lines"]
    off = result["total_with_creation"]["lines"] - result["total"]["lines"]
    assert result["covered_with_creation"]["lines"] == result["covered"]["lines"] + off
    assert not any("scs/title.py:11" in line for line in result["uncovered_lines"])


def test_application_that_cannot_be_created_is_an_error(project):
    broken = replace(BY_NAME["scs"], creation="import scs; scs.nothing")

    with pytest.raises(RuntimeError, match="scs cannot be created"):
        measure.measure_creation(PYTHON, project, broken)


@pytest.mark.parametrize(("text", "expected"), [("", ""), ("a\nb \n\n", "b")])
def test_last_line(text, expected):
    assert measure.last_line(text) == expected
