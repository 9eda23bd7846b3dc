from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.atomic import write_atomically


def test_writing_is_atomic_and_silent_when_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    assert write_atomically(path, "one\n")
    assert not write_atomically(path, "one\n")

    def fail(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_evosearch.core.atomic.os.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "two\n")

    assert path.read_text() == "one\n"
    assert [found.name for found in tmp_path.iterdir()] == ["a.py"]


def test_a_file_keeps_its_mode_and_gets_another_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("one")
    path.chmod(0o640)

    replace_content(path, b"two")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two", 0o640)
    replace_content(path, b"three", 0o600)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("three", 0o600)
