from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pytest_evosearch.core.atomic import move
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


def test_a_file_moves_to_another_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "a" / "test.py", tmp_path / "b" / "test.py"
    for path, text in ((source, "new"), (target, "old")):
        path.parent.mkdir()
        path.write_text(text)
    source.chmod(0o640)

    def replace(one: Path, other: Path) -> None:
        if Path(one).parent != Path(other).parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        Path(one).rename(other)

    monkeypatch.setattr("pytest_evosearch.core.atomic.os.replace", replace)
    move(source, target)
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o640)
    assert [one.name for one in target.parent.iterdir()] == ["test.py"]
    assert not source.exists()


def test_names_that_the_locale_cannot_spell_are_written_as_they_are(tmp_path: Path) -> None:
    name = os.fsencode("grün").decode("ascii", "surrogateescape")
    assert write_atomically(tmp_path / "a.py", name)
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "grün"
