"""The folder of a user's caches, on each platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.bridge.imports.user_folders import user_cache_folder


def test_linux_asks_the_desktop_first(tmp_path: Path) -> None:
    named = {"XDG_CACHE_HOME": str(tmp_path)}
    assert user_cache_folder(named, "linux") == tmp_path
    assert user_cache_folder({}, "linux") == Path.home() / ".cache"
    assert user_cache_folder({"XDG_CACHE_HOME": "relative"}, "linux") == Path.home() / ".cache"


def test_windows_and_macos_have_folders_of_their_own(tmp_path: Path) -> None:
    named = {"LOCALAPPDATA": str(tmp_path), "XDG_CACHE_HOME": "/elsewhere"}
    assert user_cache_folder(named, "win32") == tmp_path
    assert user_cache_folder(named, "darwin") == Path.home() / "Library" / "Caches"


def test_a_user_without_a_home_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def has_none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", has_none)
    assert user_cache_folder({}, "linux") is None
