"""Processes of `multiprocessing` that are ended leave no folder behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.sut.sandbox import socket_folder
from pytest_evosearch.sut.sandbox.socket_folder import folder_for_sockets

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process is forked and killed")


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # Another test may have made a folder, which this process keeps.
    monkeypatch.delitem(multiprocessing.current_process()._config, "tempdir", raising=False)
    # Below `tmp_path` the name of a socket may be too long.
    with tempfile.TemporaryDirectory(prefix="sockets-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_a_temporary_folder_with_a_long_name_is_left_to_python(
    monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    deep = temporary / ("d" * 80)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with folder_for_sockets():
        assert "tempdir" not in multiprocessing.current_process()._config
    assert not list(deep.iterdir())


def leave_a_manager() -> None:
    """Start the server of a manager, and kill it."""
    manager = multiprocessing.get_context("fork").Manager()
    process = manager._process
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def test_the_folder_of_a_manager_that_was_killed_is_removed(temporary: Path) -> None:
    with folder_for_sockets():
        leave_a_manager()
        (folder,) = temporary.iterdir()
        assert folder.name.startswith("evosearch-mp-")
    assert not list(temporary.iterdir())
    assert "tempdir" not in multiprocessing.current_process()._config


def test_a_folder_that_was_there_stays(temporary: Path) -> None:
    configuration = multiprocessing.current_process()._config
    configuration["tempdir"] = str(temporary)
    with folder_for_sockets():
        assert not list(temporary.iterdir())
    assert configuration.pop("tempdir") == str(temporary)


def test_a_full_disk_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    def full(_purpose: str) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(socket_folder, "ScratchFolder", full)
    with folder_for_sockets():
        assert "tempdir" not in multiprocessing.current_process()._config
    assert not list(temporary.iterdir())
