"""What a unit wrote into its folder is told, and the next test finds nothing of it."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.execution.units.confined import LONGEST_FILE
from pytest_evosearch.execution.units.confined import written_files


def test_written_files_are_told_with_their_texts_and_removed(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "notes.txt").write_text("hello")
    (tmp_path / "large").write_text("a" * (LONGEST_FILE + 1))
    (tmp_path / "bytes").write_bytes(b"\xff")
    (tmp_path / "away").symlink_to(tmp_path.parent)

    found = written_files(str(tmp_path))

    assert found == (("bytes", None), ("inside/notes.txt", "hello"), ("large", None))
    assert not any(tmp_path.iterdir())
    assert written_files(str(tmp_path)) == ()
