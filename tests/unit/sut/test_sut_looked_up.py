from __future__ import annotations

import sys
from types import CodeType

import pytest

from pytest_evosearch.sut.looked_up import MOST_NAMES
from pytest_evosearch.sut.looked_up import LookedUpNames

SOURCE = """\
import functools


@functools.lru_cache(
    maxsize=None
)
def find(options, kinds):
    limit = options["limit"]
    if "sort" in options and options.get("sort-by", "name") != "x":
        options["written"] = options.pop("page")
    if app.config["DEBUG"] or "user" in session or os.environ.get("HOME"):
        return None
    return "a" in "abc" or "b" in ["a", "b"] or "two words" in options or limit[0]


def outer(options):
    def inner():
        return options["inner"]
    return inner
"""


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "handlers.py"
    path.write_text(SOURCE)
    return compile(SOURCE, str(path), "exec")


def function(code: CodeType, name: str) -> CodeType:
    return next(
        each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name
    )


def test_keys_that_are_looked_up_are_found(code):
    names = LookedUpNames()

    assert sorted(names.of(function(code, "find"))) == ["limit", "page", "sort", "sort-by"]
    assert names.of(function(code, "outer")) == ("inner",)
    assert names.of(function(function(code, "outer"), "inner")) == ("inner",)


def test_there_is_an_end(tmp_path):
    lines = "".join(f"    a['n{number}']\n" for number in range(2 * MOST_NAMES))
    path = tmp_path / "long.py"
    path.write_text(f"def long(a):\n{lines}")
    code = compile(path.read_text(), str(path), "exec")

    assert len(LookedUpNames().of(function(code, "long"))) == MOST_NAMES


def test_without_source_nothing_is_known():
    assert LookedUpNames().of(compile("lambda a: a['b']", "<nowhere>", "eval")) == ()
    assert LookedUpNames().of(sys._getframe().f_code) == ()
