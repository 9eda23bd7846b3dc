"""Lines of written fixtures that the search runs."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.deeds import fixture_function

FIXTURE = '''\
@pytest.fixture
def log_in(client):
    """Log a client in."""
    from operator import add

    def log_in(name: missing):
        client.names = add(client.names, [name, __file__])

    return log_in
'''


def test_lines_run_with_the_names_that_they_are_given_and_tell_the_last_value() -> None:
    deed = Deed(("found = sqrt(number)", "int(found)"), ("from math import sqrt",))
    assert deed.run(number=9) == 3
    assert deed.run(number=16) == 4


def test_lines_that_end_in_a_statement_have_no_value() -> None:
    given: list[int] = []
    assert Deed(("for each in range(2):", "    given.append(each)")).run(given=given) is None
    assert given == [0, 1]
    assert Deed(()).run() is None


def test_a_run_leaves_nothing_to_the_next_one() -> None:
    deed = Deed(("held = [*held, 1]", "held"))
    assert deed.run(held=[]) == deed.run(held=[]) == [1]


def test_a_fixture_is_its_function_under_the_path_of_its_file() -> None:
    client = SimpleNamespace(names=[])
    fixture_function(FIXTURE.replace(": missing", ""), "/tests/conftest.py")(client)("ann")
    assert client.names == ["ann", "/tests/conftest.py"]


def test_texts_do_not_inherit_what_this_package_imports_from_the_future() -> None:
    raised = None
    try:
        fixture_function(FIXTURE)(SimpleNamespace())
    except NameError as error:
        raised = error
    assert "missing" in str(raised)


def test_a_module_whose_name_is_no_word_is_imported_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "my-shop.models", SimpleNamespace(Book=list))
    monkeypatch.setitem(sys.modules, "my-shop", SimpleNamespace())
    assert Deed(("Book('ab')",), ("from my-shop.models import Book",)).run() == ["a", "b"]
