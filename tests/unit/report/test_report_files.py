"""Writing: every report or a notice, never half a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import report_samples as samples

from pytest_evosearch.report.files import renderers_for
from pytest_evosearch.report.files import way_between
from pytest_evosearch.report.files import write_reports
from pytest_evosearch.report.outcome import Outcome


@pytest.mark.parametrize("outcome", [samples.EMPTY, samples.ordinary(), samples.hostile()])
def test_writes_every_report(tmp_path: Path, outcome: Outcome) -> None:
    folder = tmp_path / "deep" / "reports"
    written, failed = write_reports(outcome, folder, tmp_path)
    assert failed == []
    assert sorted(path.name for path in written) == sorted(renderers_for(folder, tmp_path))
    assert sorted(path.name for path in folder.iterdir()) == sorted(renderers_for(folder, tmp_path))
    assert all(path.read_text(encoding="utf-8") for path in written)


def test_a_renderer_that_fails_costs_its_report_only(tmp_path: Path) -> None:
    def broken(_outcome: Outcome) -> str:
        raise RuntimeError("no such thing")

    (tmp_path / "a.txt").write_text("old")
    written, failed = write_reports(
        samples.EMPTY,
        tmp_path,
        tmp_path,
        {"a.txt": broken, "b.txt": lambda outcome: str(outcome.seed)},
    )
    assert [path.name for path in written] == ["b.txt"]
    assert failed == [f"a.txt could not be written to {tmp_path}: RuntimeError: no such thing"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_folder_that_cannot_be_made_is_told_in_one_line_each(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    written, failed = write_reports(samples.EMPTY, tmp_path / "file" / "reports", tmp_path)
    assert written == []
    assert len(failed) == len(renderers_for(tmp_path, tmp_path))
    assert all("\n" not in line for line in failed)


def test_a_failing_replacement_leaves_no_scratch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").mkdir()
    written, failed = write_reports(
        samples.EMPTY, tmp_path, tmp_path, {"a.txt": lambda _outcome: "text"}
    )
    assert written == []
    assert len(failed) == 1
    assert os.listdir(tmp_path) == ["a.txt"]  # noqa: PTH208 - hidden files count too


def test_the_way_to_the_root_is_relative_to_the_reports(tmp_path: Path) -> None:
    assert way_between(tmp_path / ".pytest_cache" / "d" / "evosearch", tmp_path) == "../../../"
    assert way_between(tmp_path, tmp_path) == ""
    folder = tmp_path / "reports"
    write_reports(samples.ordinary(), folder, tmp_path)
    report = json.loads((folder / "wfc-report.json").read_text())
    assert all(path.startswith("../tests/evosearch/") for path in report["testFilePaths"])
