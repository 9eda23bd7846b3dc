"""Words of libraries, of Python and of the system, and those of a project."""

from __future__ import annotations

import sqlite3  # its library's words are among those that are found
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pytest_evosearch.write.answers.library_words import is_of_library


@pytest.fixture(autouse=True)
def without_the_words_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the tests of this project for not loaded: they quote libraries."""
    pytest.importorskip("marshmallow")
    tests = Path(__file__).parents[3]
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").is_relative_to(tests):
            monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [
        ("Missing data for required field.", True),
        ("invalid literal for int() with base 10: 'a'", True),
        ("Could not save: invalid literal for int() with base 10: 'a'", True),
        ("No such teapot in stock: a", False),
        ("415 Unsupported Media Type: No such teapot in stock", False),
        ("The title must not be empty", False),
        ("A pen", False),
        ("", False),
    ],
)
def test_whose_words_a_message_has(text: str, *, is_foreign: bool) -> None:
    assert is_of_library(text) is is_foreign


def test_what_an_exception_says_after_words_of_the_project_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own_shop.py"
    file.write_text('said = "the body had bad "\nmore = "or no data "', encoding="utf-8")
    module = ModuleType("own_shop")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "own_shop", module)
    said = "the body had bad or no data"

    assert is_of_library(f"{said} invalid literal for int() with base 10: 'a'")
    assert not is_of_library(f"{said} no such teapot in stock")


@pytest.mark.skipif(sys.platform != "linux", reason="files of machine code are told by Linux")
def test_words_of_machine_code_are_found() -> None:
    with sqlite3.connect(":memory:") as connection, pytest.raises(sqlite3.Error) as raised:
        connection.execute("SELECT * FROM absent")

    assert is_of_library(str(raised.value))
    assert is_of_library("[Errno -2] Name or service not known")


@pytest.mark.skipif(sys.platform != "linux", reason="files of machine code are told by Linux")
@pytest.mark.parametrize("kind", ["UNIQUE", "NOT NULL"])
def test_words_that_machine_code_fills_in_are_found(kind: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE teapots (name TEXT {kind})")
    with pytest.raises(sqlite3.Error) as raised:
        connection.executemany("INSERT INTO teapots VALUES (?)", [("a",), ("a",), (None,)])

    assert is_of_library(f"Could not save: {raised.value}")


def test_what_was_sent_is_nobodys_words() -> None:
    sent = "Missing data for required field."

    assert not is_of_library(f"No such title: {sent}", [sent])


def test_words_that_the_project_has_as_well_are_its_own_wherever_the_run_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("shop_of_this_test")
    module.__file__ = str(tmp_path / "shop.py")
    (tmp_path / "shop.py").write_text("GONE = 'Not a valid integer here.'\n")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    assert not is_of_library("Not a valid integer here.")
