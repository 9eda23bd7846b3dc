"""Writing: every report or a notice, never half a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import report_samples as samples

from pytest_evosearch.report.files import RENDERERS
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import Outcome


@pytest.mark.parametrize("outcome", [samples.EMPTY, samples.ordinary(), samples.hostile()])
def test_writes_every_report(tmp_path: Path, outcome: Outcome) -> None:
    folder = tmp_path / "deep" / "reports"
    written, failed = write_reports(outcome, folder)
    assert failed == []
    assert sorted(path.name for path in written) == sorted(RENDERERS)
    assert sorted(path.name for path in folder.iterdir()) == sorted(RENDERERS)
    assert all(path.read_text(encoding="utf-8") for path in written)


def test_a_renderer_that_fails_costs_its_report_only(tmp_path: Path) -> None:
    def broken(_outcome: Outcome) -> str:
        raise RuntimeError("no such thing")

    (tmp_path / "a.txt").write_text("old")
    written, failed = write_reports(
        samples.EMPTY,
        tmp_path,
        {"a.txt": broken, "b.txt": lambda outcome: str(outcome.seed)},
    )
    assert [path.name for path in written] == ["b.txt"]
    assert failed == [f"a.txt could not be written to {tmp_path}: RuntimeError: no such thing"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_folder_that_cannot_be_made_is_told_in_one_line_each(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    written, failed = write_reports(samples.EMPTY, tmp_path / "file" / "reports")
    assert written == []
    assert len(failed) == len(RENDERERS)
    assert all("\n" not in line for line in failed)


def test_a_failing_replacement_leaves_no_scratch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").mkdir()
    written, failed = write_reports(samples.EMPTY, tmp_path, {"a.txt": lambda _outcome: "text"})
    assert written == []
    assert len(failed) == 1
    assert os.listdir(tmp_path) == ["a.txt"]  # noqa: PTH208 - hidden files count too
