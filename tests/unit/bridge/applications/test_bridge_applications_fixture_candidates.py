from __future__ import annotations

from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.bridge.applications.fixture_candidates import in_source_order


def item(file: str, line: int | None, name: str) -> Any:
    return SimpleNamespace(path=Path(file), location=(file, line, name), nodeid=f"{file}::{name}")


def test_tests_are_in_the_order_of_the_source_however_they_were_shuffled() -> None:
    items = [item("a.py", None, "doctest"), item("a.py", 3, "z[0]"), item("a.py", 3, "z[1]")]
    items += [item("a.py", 9, "a"), item("b.py", 1, "a")]

    for shuffled in permutations(items):
        assert in_source_order(shuffled) == items
