from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pytest_evosearch.sut.watching.sqlite_connections import is_shared


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
