"""Which of the loaded modules are the project's own."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from werkzeug.utils import import_string

from pytest_evosearch.sut.surroundings import describe_exception
from pytest_evosearch.sut.surroundings import project_modules


def loaded(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def test_modules_are_the_projects_own_by_where_their_links_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, environment = tmp_path / "project", tmp_path / "venv" / "site-packages"
    (root / "shelf" / "parts").mkdir(parents=True)
    (root / ".venv" / "site-packages" / "other").mkdir(parents=True)
    environment.mkdir(parents=True)
    (environment / "shelf").symlink_to(root / "shelf")
    own = [
        loaded(monkeypatch, "shelf", environment / "shelf" / "__init__.py"),
        loaded(monkeypatch, "shelf.parts", environment / "shelf" / "parts" / "__init__.py"),
        loaded(monkeypatch, "plain", root / "plain.py"),
    ]
    loaded(monkeypatch, "foreign", environment / "foreign.py")
    loaded(monkeypatch, "other", root / ".venv" / "site-packages" / "other" / "__init__.py")
    loaded(monkeypatch, "conftest", root / "conftest.py")
    (tmp_path / "link").symlink_to(root)

    assert project_modules(root) == own
    assert project_modules(tmp_path / "link") == own


def test_an_exit_because_of_an_error_names_that_error(tmp_path):
    try:
        try:
            raise ModuleNotFoundError("No module named 'driver'")
        except Exception:
            sys.exit(4)
    except SystemExit as error:
        text = describe_exception(error, Path(__file__).parent)

    assert text.startswith("SystemExit: 4 (test_sut_surroundings.py:")
    assert ", because of ModuleNotFoundError: No module named 'driver' (test_sut_surr" in text


def test_a_failed_import_that_stands_for_another_one_is_described_by_that(
    tmp_path: Path,
) -> None:
    package = tmp_path / "backends"
    package.mkdir()
    (package / "__init__.py").write_text("import library_of_caches\n")
    caught = []
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        for name in ("backends.redis", "backends:redis"):
            with pytest.raises(ImportError) as raised:
                import_string(name)
            caught.append(describe_exception(raised.value, Path(__file__).parent))
        patch.delitem(sys.modules, "backends", raising=False)

    for text in caught:
        assert text.startswith("ModuleNotFoundError: No module named 'library_of_caches' (")
        assert "test_sut_surroundings.py:" in text
