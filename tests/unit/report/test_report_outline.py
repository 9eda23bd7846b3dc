from __future__ import annotations

import pytest

from pytest_evosearch.report.outline import Outlines

SOURCE = """\
import requests


def rate():
    answer = requests.get("https://example.com")
    if answer.ok:
        return 1
    if g.user is None:
        return 2
"""


def never() -> str:
    raise AssertionError("no one asked for this file")


def test_each_file_is_read_when_it_is_first_needed() -> None:
    reads = []

    def read() -> str:
        reads.append(1)
        return SOURCE

    outlines = Outlines({"shop.py": read, "large.py": never})

    assert list(outlines) == ["shop.py", "large.py"]
    assert len(outlines) == 2
    assert not reads
    assert outlines["shop.py"].enclosing(5) is outlines["shop.py"].functions[0]
    assert reads == [1]
    with pytest.raises(KeyError):
        outlines["other.py"]


def test_a_file_that_is_no_python_has_an_empty_outline() -> None:
    outline = Outlines({"shop.py": lambda: "def ("})["shop.py"]

    assert not outline.functions
    assert not outline.caught
