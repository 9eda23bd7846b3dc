from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pytest_evosearch.sut.servers.server_folders import LONGEST_PARENT
from pytest_evosearch.sut.servers.server_folders import server_folder

LONGEST_SOCKET = 103
"""Bytes of the path of a socket, where the fewest are allowed."""


def test_a_socket_has_a_path_that_is_short_enough_whatever_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * LONGEST_PARENT)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))

    with server_folder() as folder:
        assert len(str(folder / ".s.PGSQL.5432")) <= LONGEST_SOCKET
        assert folder.is_dir()

    assert not folder.exists()


def test_the_temporary_folder_holds_the_data_where_its_path_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory(prefix="s") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)

        with server_folder() as folder:
            assert folder.parent == Path(short)
