"""When the coverage of a written suite has to be measured anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.write.verification import measure
from pytest_evosearch.write.verification.measure import Measurement
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess

MODULE = '"""Tests for the shop.\n\nVerified {}.\n"""\n\n\ndef test_shop():\n    assert {}\n'


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the folders that were run."""
    found: list[str] = []

    def run(folder: Path, *_given: object) -> tuple[SuiteCoverage, int]:
        found.append(folder.name)
        return SuiteCoverage(len(found), 9, 0, 0, {}), 0

    monkeypatch.setattr(measure, "_measure", run)
    return found


@pytest.mark.parametrize(
    ("changed", "number"),
    [(MODULE.format("twice", "True"), 1), (MODULE.format("once", "1"), 2)],
)
def test_a_suite_is_measured_anew_when_more_than_its_docstrings_has_changed(
    tmp_path: Path, runs: list[str], changed: str, number: int
) -> None:
    module = tmp_path / "test_shop.py"
    module.write_text(MODULE.format("once", "True"), encoding="utf-8")
    measurement = Measurement(PytestProcess(tmp_path), [tmp_path / "shop.py"])
    measurement.take(tmp_path)

    module.write_text(changed, encoding="utf-8")
    coverage = measurement.result(tmp_path)

    assert coverage is not None
    assert coverage.covered_lines == len(runs) == number


LOADED = """\
import pathlib

with pathlib.Path(__file__).with_name("loaded").open("a") as file:
    file.write("x")
"""


def times_loaded(folder: Path) -> int:
    return len((folder / "loaded").read_text())


def test_a_suite_is_measured_once_for_each_state(tmp_path: Path) -> None:
    subject = tmp_path / "subject.py"
    subject.write_text("def double(value):\n    return 2 * value\n")
    test = tmp_path / "test_evosearch_a.py"
    test.write_text("import subject\n\n\ndef test_a():\n    assert subject.double(1) == 2\n")
    (tmp_path / "conftest.py").write_text(LOADED)
    measurement = Measurement(PytestProcess(tmp_path), [subject])

    measurement.take(tmp_path)
    first = measurement.result(tmp_path)
    assert first is not None
    assert (first.covered_lines, times_loaded(tmp_path)) == (2, 1)

    test.write_text("import subject\n\n\ndef test_a():\n    assert subject\n")
    second = measurement.result(tmp_path)
    assert second is not None
    assert (second.covered_lines, times_loaded(tmp_path)) == (1, 2)

    measurement.take(tmp_path)
    assert measurement.result(tmp_path) == second
    assert times_loaded(tmp_path) == 2


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_what_fails_while_it_is_measured_beside_others_is_measured_again(tmp_path: Path) -> None:
    subject = tmp_path / "subject.py"
    subject.write_text("a = 1\n")
    (tmp_path / "conftest.py").write_text(LOADED)
    (tmp_path / "test_evosearch_a.py").write_text(
        "import subject\n\n\ndef test_a():\n    assert 0\n"
    )
    measurement = Measurement(PytestProcess(tmp_path), [subject])

    measurement.take(tmp_path)
    measurement.result(tmp_path)

    assert times_loaded(tmp_path) == 2
