"""The table of ratios, and the large program that it measures with."""

from __future__ import annotations

import ast
import importlib
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.large_program import FUNCTIONS
from benchmarks.large_program import write_program
from benchmarks.ratios import LARGE
from benchmarks.ratios import MARKED
from benchmarks.ratios import METER
from benchmarks.ratios import report

OPTIONS = Namespace(rounds=1, evaluations=100, large=10)


def metered(seconds: float, digest: str = "a") -> dict[str, Any]:
    return {
        "search": seconds,
        "application": 1.0,
        "calls": 1000,
        "evaluations": 500,
        "digest": digest,
    }


def test_what_is_ours_is_told_a_call_and_compared() -> None:
    table = report({"scs": ([metered(3.0)], [metered(2.0)])}, {}, OPTIONS)
    assert "| scs: ours, ms a call | 2 | 1 | 0.50 |" in table
    assert "found before and after: scs." in table


def test_the_large_program_is_told_by_its_speed_too() -> None:
    table = report({LARGE: ([metered(10.0)], [metered(5.0)])}, {}, OPTIONS)
    assert "| large program: evaluations/s | 50 | 100 | 2.00 |" in table


def test_a_search_that_finds_other_tests_is_told() -> None:
    table = report({"scs": ([metered(3.0)], [metered(2.0, "b")])}, {}, OPTIONS)
    assert "found before and after: nowhere." in table


def test_rounds_are_compared_one_by_one() -> None:
    starts = {"plan, with bytecode": ([1.0, 9.0, 2.0], [1.0, 1.0, 5.0])}
    assert "| plan, with bytecode, s | 2 | 1 | 1.00 |" in report({}, starts, OPTIONS)


def test_the_page_has_a_place_for_the_table() -> None:
    page = Path(__file__).parents[3] / "docs" / "benchmarks" / "profile.md"
    assert MARKED.search(page.read_text(encoding="utf-8"))


def test_the_meter_is_a_module() -> None:
    assert "pytest_sessionstart" in METER.read_text(encoding="utf-8")


def test_the_large_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path, modules=11)
    ast.parse((tmp_path / "conftest.py").read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        application = importlib.import_module("large.application")
        client = application.create_app().test_client()
        answer = client.get("/parts/10?size=200000&kind=kind3")
        assert answer.json["decisions"] == ["plain"] * 3 + ["large"] + ["plain"] * (FUNCTIONS - 4)
        assert answer.json["seen"] == 1
        assert client.get("/parts/0").status_code == 400
        assert client.get("/parts/1").status_code == 404
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "large"]:
            del sys.modules[name]
