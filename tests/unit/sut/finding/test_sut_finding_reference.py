from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.sut.finding.reference import module_of


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of a project in which a namespace package lies."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "acme" / "shop" / "web").mkdir(parents=True)
    for folder in ("shop", "shop/web"):
        (tmp_path / "src" / "acme" / folder / "__init__.py").touch()
    return tmp_path / "src"


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("acme/shop/__init__.py", "acme.shop"),
        ("acme/shop/web/views.py", "acme.shop.web.views"),
        ("tools/run.py", "run"),
    ],
)
def test_a_package_below_a_folder_on_the_path_has_its_whole_name(
    source: Path, monkeypatch: pytest.MonkeyPatch, file: str, module: str
) -> None:
    monkeypatch.syspath_prepend(str(source))

    assert module_of(source / file)[1] == module


def test_without_such_a_folder_the_package_is_imported_from_where_it_lies(source: Path) -> None:
    assert module_of(source / "acme" / "shop") == (source / "acme", "shop")


def test_the_folder_of_the_project_itself_makes_no_namespace(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(source.parent))

    assert module_of(source / "acme" / "shop")[1] == "shop"
