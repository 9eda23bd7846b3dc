from __future__ import annotations

import re
from pathlib import Path

from pytest_evosearch import hook_types

DOCS = Path(__file__).parents[2] / "docs" / "hooks.md"


def test_docs_list_every_type_that_the_module_offers() -> None:
    listed = re.search(
        r"hook_types import \(\n(.*?)\)", DOCS.read_text(encoding="utf-8"), re.DOTALL
    )
    assert listed is not None
    assert [name.strip(" ,") for name in listed[1].splitlines() if name.strip()] == sorted(
        hook_types.__all__, key=lambda name: (name.islower(), name)
    )


def test_every_offered_type_is_there() -> None:
    assert [name for name in hook_types.__all__ if not hasattr(hook_types, name)] == []
