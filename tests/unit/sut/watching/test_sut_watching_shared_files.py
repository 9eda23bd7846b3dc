from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

from pytest_evosearch.sut.watching.shared_files import is_shared


@pytest.mark.parametrize(
    ("path", "shared"),
    [
        ("{root}/tests.sqlite", True),
        ("{root}/instance/../tests.sqlite", True),
        ("{temporary}/pytest-1/test_a0/tests.sqlite", False),
        ("/srv/shop/tests.sqlite", True),
    ],
)
def test_a_database_of_the_project_is_the_same_one_in_every_run(path: str, shared: bool) -> None:
    temporary = tempfile.gettempdir()
    root = Path(temporary, "project")
    assert is_shared(Path(path.format(root=root, temporary=temporary)), root) is shared


@pytest.mark.parametrize("file", ["shop.py", "pytest.ini"])
@pytest.mark.parametrize("named", [True, False], ids=["named", "drawn"])
def test_a_temporary_file_whose_name_is_fixed_is_the_same_one_in_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, named: bool
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / file).write_text("DATABASE = sqlite:////tmp/orders-7.db" if named else "")
    if file.endswith(".py"):
        module = ModuleType("shop")
        module.__file__ = str(root / file)
        monkeypatch.setitem(sys.modules, "shop", module)

    assert is_shared(Path(tempfile.gettempdir(), "orders-7.db"), root) is named
