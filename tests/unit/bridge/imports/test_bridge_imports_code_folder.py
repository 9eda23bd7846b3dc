"""Instrumented code is kept in the project, or in the user's cache where that is read-only."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.bridge.imports import code_folder as room
from pytest_evosearch.bridge.imports.code_folder import KEPT_SECONDS
from pytest_evosearch.bridge.imports.code_folder import code_folder


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "caches"
    monkeypatch.setattr(room, "user_cache_folder", lambda: folder)
    return folder


def config_of(root: Path, *, keeps: bool = True) -> Any:
    manager = SimpleNamespace(has_plugin=lambda name: keeps and name == "cacheprovider")
    return SimpleNamespace(pluginmanager=manager, root=root)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(room, "project_root", lambda config: config.root)
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


def be_read_only(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every folder below `root`: chmod would not stop the administrator."""
    real = Path.mkdir

    def mkdir(self: Path, *arguments: Any, **keywords: Any) -> None:
        if root in self.parents:
            raise OSError(30, "Read-only file system")
        real(self, *arguments, **keywords)

    monkeypatch.setattr(Path, "mkdir", mkdir)


def test_a_project_keeps_its_code_where_pytest_keeps_its_cache(project: Path, caches: Path) -> None:
    found = code_folder(config_of(project))
    assert found == project / ".pytest_cache" / "d" / "evosearch" / "code"
    assert found.is_dir()
    assert (project / ".pytest_cache" / ".gitignore").read_text() == "*\n"
    assert not caches.exists()


def test_nothing_is_kept_where_pytest_keeps_nothing(project: Path, caches: Path) -> None:
    assert code_folder(config_of(project, keeps=False)) is None
    assert not list(project.iterdir())


def test_a_read_only_checkout_has_a_folder_in_the_cache_of_the_user(
    project: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = project.parent / "other" / "shop"
    other.mkdir(parents=True)
    be_read_only(project, monkeypatch)
    be_read_only(other, monkeypatch)
    found, others = code_folder(config_of(project)), code_folder(config_of(other))
    assert found is not None
    assert found == code_folder(config_of(project))
    assert found != others
    assert found.parent == caches / "pytest-evosearch" / "code"
    assert found.stat().st_mode & 0o077 == 0


def test_what_no_run_has_used_for_long_is_removed(
    project: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_read_only(project, monkeypatch)
    own = code_folder(config_of(project))
    assert own is not None
    long_ago = time.time() - KEPT_SECONDS - 60
    for name, used in (("old-1", long_ago), ("new-2", time.time())):
        (own.parent / name).mkdir()
        (own.parent / name / "module.evosearch").write_bytes(b"code")
        os.utime(own.parent / name, (used, used))
    os.utime(own, (long_ago, long_ago))
    assert code_folder(config_of(project)) == own
    assert sorted(one.name for one in own.parent.iterdir()) == sorted(["new-2", own.name])


def test_a_user_without_a_cache_keeps_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_read_only(project, monkeypatch)
    monkeypatch.setattr(room, "user_cache_folder", lambda: None)
    assert code_folder(config_of(project)) is None
