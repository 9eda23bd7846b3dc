"""The transformed sources, word for word; EVOSEARCH_UPDATE_GOLDEN=1 records them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.instrument.__main__ import transformed_source

RECORDED = Path(__file__).with_name("recorded") / "instrument"
SOURCES = sorted(RECORDED.glob("*.source.txt"), key=lambda path: path.name)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name.partition(".")[0])
def test_the_transformed_source_is_as_recorded(path: Path, level: int) -> None:
    text = transformed_source(path.read_text(encoding="utf-8"), path.name, level) + "\n"
    recorded = path.with_name(path.name.replace(".source.", f".level{level}."))

    if os.environ.get("EVOSEARCH_UPDATE_GOLDEN"):
        recorded.write_text(text, encoding="utf-8")
    assert text == recorded.read_text(encoding="utf-8")


def test_there_are_sources() -> None:
    assert SOURCES
