from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest

from pytest_evosearch.core.scratch import ScratchFolder
from pytest_evosearch.core.scratch import remove_orphans
from pytest_evosearch.core.scratch import scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_goes_with_its_block(temporary: Path) -> None:
    with scratch_folder("verify") as folder:
        (folder / "log").write_text("")
        assert [one.name for one in temporary.iterdir()] == [folder.name]
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="a process is killed by a signal")
def test_folders_of_the_dead_are_removed_and_no_others(temporary: Path) -> None:
    child = os.fork()
    if child == 0:
        ScratchFolder("sandbox")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    (temporary / "evosearch-of-somebody").mkdir()
    with scratch_folder("verify") as living:
        assert len(list(temporary.glob("evosearch-sandbox-*"))) == 1
        remove_orphans()
        left = sorted(one.name for one in temporary.iterdir())
        assert left == sorted(["evosearch-of-somebody", living.name])


def test_a_folder_that_was_made_and_never_locked_is_removed(tmp_path):
    empty, fresh, full = (tmp_path / f"evosearch-{name}" for name in ("empty", "fresh", "full"))
    for folder in (empty, fresh, full):
        folder.mkdir()
    (full / "kept").touch()
    for folder in (empty, full):
        os.utime(folder, (1, 1))
    remove_orphans(tmp_path)
    assert sorted(tmp_path.iterdir()) == [fresh, full]
