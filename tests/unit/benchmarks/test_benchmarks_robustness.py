from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks.perturbed import WAYS
from benchmarks.perturbed import Suite
from benchmarks.perturbed import rerun
from benchmarks.robustness import calls_in
from benchmarks.robustness import covered_sides
from benchmarks.robustness import fill_in
from benchmarks.robustness import row

RESULT = {
    "application": "shop",
    "budget": "20s",
    "seconds": 27.4,
    "exit_code": 0,
    "reruns": [
        {"way": "as it is", "tests": 3, "failures": [], "broken": ""},
        {"way": "-W error", "tests": 3, "failures": ["t.py::test_x: assert 1 == 2"], "broken": ""},
    ],
    "suite": {"tests": 3, "covering": 2, "median_calls": 1.0},
    "kept": {"statements": 4, "statements_kept": 4, "branches": 0, "branches_kept": 0},
    "tools": {"ruff": 0, "black": 0},
}


def test_twenty_ways_have_names_of_their_own() -> None:
    assert len({way.name for way in WAYS}) == 20


@pytest.mark.slow("whole pytest runs of written tests")
def test_failures_are_counted_in_every_way(tmp_path: Path) -> None:
    (tmp_path / "test_clock.py").write_text(
        "import time\n\n"
        "def test_year():\n    assert time.time() < 4e9\n\n"
        "def test_zone():\n    assert time.tzname[0] != 'PST'\n"
    )
    suite = Suite(Path(sys.executable), tmp_path, tmp_path)
    ways = [way for way in WAYS if way.name in ("as it is", "TZ=America/Los_Angeles")]

    plain, moved = rerun(suite, ways)

    assert (plain.tests, plain.failures, plain.broken) == (2, (), "")
    assert [failure.partition(":")[0] for failure in moved.failures] == ["test_clock.py"]


def test_row_of_the_table(tmp_path: Path) -> None:
    assert row(RESULT) == (
        "| shop | 20s | 3 | 2 | 1 | 6 | 1 | fails | 100.0 % (4/4) | none | 0 | clean | 7 |"
    )
    document = tmp_path / "robustness.md"
    document.write_text("a\n\n<!-- table -->\n\nold\n\n<!-- end of table -->\nb\n")

    fill_in(document, [RESULT])

    text = document.read_text()
    assert "old" not in text
    assert row(RESULT) in text
    assert text.endswith("<!-- end of table -->\nb\n")


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("def test():\n    client.get('/')\n    made = client.post('/x').json.get('id')\n", 2),
        ("def test():\n    auth.login()\n", 0),
    ],
)
def test_only_requests_are_calls(source: str, calls: int) -> None:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert calls_in(function) == calls


def test_parts_of_a_condition_are_no_branches() -> None:
    sides = [
        {"target": "branch a.py:3 true", "score": 1.0},
        {"target": "branch a.py:3 false", "score": 0.5},
        {"target": "branch a.py:3#2 true", "score": 1.0},
    ]

    assert covered_sides(sides) == 1
