"""Instrumented code is kept in the project, where that can be written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.bridge.imports import code_folder as room
from pytest_evosearch.bridge.imports.code_folder import code_folder


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


def test_a_project_keeps_its_code_where_pytest_keeps_its_cache(project: Path) -> None:
    found = code_folder(config_of(project))
    assert found == project / ".pytest_cache" / "d" / "evosearch" / "code"
    assert found.is_dir()
    assert (project / ".pytest_cache" / ".gitignore").read_text() == "*\n"


def test_nothing_is_kept_where_pytest_keeps_nothing(project: Path) -> None:
    assert code_folder(config_of(project, keeps=False)) is None
    assert not list(project.iterdir())


def test_a_read_only_checkout_keeps_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_read_only(project, monkeypatch)
    assert code_folder(config_of(project)) is None
