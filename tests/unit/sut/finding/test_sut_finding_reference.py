from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.sut.finding.reference import AppReference
from pytest_evosearch.sut.finding.reference import module_of
from pytest_evosearch.sut.finding.reference import reference_to_file


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


@pytest.mark.parametrize(
    ("file", "module"),
    [("serve.py", "serve"), ("__main__.py", "shop.__main__")],  # pytest runs as ``__main__``
)
def test_a_program_of_a_package_that_imports_what_stands_beside_it_is_run_in_its_folder(
    source: Path, file: str, module: str
) -> None:
    program = source / "acme" / "shop" / file
    program.write_text("from prices import today\n")
    program.with_name("prices.py").touch()

    assert reference_to_file(program) == AppReference(module, None, program.parent)


@pytest.mark.parametrize(
    "text", ["from .prices import today", "import json", "from acme.shop import prices", "def ("]
)
def test_any_other_module_of_a_package_has_the_name_of_the_package_before_its_own(
    source: Path, text: str
) -> None:
    module = source / "acme" / "shop" / "serve.py"
    module.write_text(f"{text}\n")
    module.with_name("prices.py").touch()

    assert reference_to_file(module) == AppReference("shop.serve", None, source / "acme")


def test_what_stands_beside_a_module_and_above_its_package_needs_no_other_folder(
    source: Path,
) -> None:
    module = source / "acme" / "shop" / "serve.py"
    module.write_text("import prices\n")
    module.with_name("prices.py").touch()
    (source / "acme" / "prices.py").touch()

    assert reference_to_file(module) == AppReference("shop.serve", None, source / "acme")
