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
