from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.core.isolation import json
from pytest_evosearch.write.verification.proven_tests import VARIABLE
from pytest_evosearch.write.verification.proven_tests import fingerprints
from pytest_evosearch.write.verification.proven_tests import left_out

MODULE = "test_evosearch_books.py"

SUITE = '''
"""Tests of books."""

from unittest.mock import ANY, call

import pytest

TEXT = "a"
OTHER = "b"


def log_in(client):
    client.post("/login", data={"name": TEXT})


def test_get_books_returns_200(client):
    """Ask for books."""
    log_in(client)
    assert client.get("/books").json == [ANY]


@pytest.mark.parametrize("name, status", [("a", 200), ("b", 404)])
def test_get_book(client, name, status):
    assert client.get(f"/books/{name}").status_code == status
'''

PLAIN_TEST = (MODULE, "test_get_books_returns_200", None)


def fingerprint_of(folder: Path, text: str, test: str = PLAIN_TEST[1]) -> str:
    folder.mkdir(exist_ok=True)
    (folder / MODULE).write_text(text, encoding="utf-8")
    found = fingerprints(folder, [folder / MODULE])
    return next(one for (_, name, row), one in found.items() if name == test and not row)


def test_each_row_of_a_table_is_a_test(tmp_path: Path) -> None:
    (tmp_path / MODULE).write_text(SUITE, encoding="utf-8")

    found = fingerprints(tmp_path, [tmp_path / MODULE])

    assert list(found) == [
        PLAIN_TEST,
        (MODULE, "test_get_book", 0),
        (MODULE, "test_get_book", 1),
    ]
    assert len(set(found.values())) == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('    """Ask for books."""\n', ""),
        ('"""Tests of books."""', '"""Tests of books; verified in another way."""'),
        ("import ANY, call", "import ANY"),
        ('OTHER = "b"', 'OTHER = "c"'),
        ('("a", 200), ("b", 404)', '("a", 200)'),
        ("def test_get_book(", "def test_get_book_by_name("),
    ],
)
def test_what_does_not_touch_a_test_changes_nothing(tmp_path: Path, old: str, new: str) -> None:
    assert old in SUITE
    changed = SUITE.replace(old, new)

    assert fingerprint_of(tmp_path / "one", SUITE) == fingerprint_of(tmp_path / "two", changed)


def test_the_name_of_a_test_changes_nothing(tmp_path: Path) -> None:
    renamed = SUITE.replace("test_get_books_returns_200", "test_books")

    assert fingerprint_of(tmp_path / "one", SUITE) == fingerprint_of(
        tmp_path / "two", renamed, "test_books"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('client.get("/books").json == [ANY]', 'client.get("/books").json == []'),
        ("def test_get_books_returns_200(client)", "def test_get_books_returns_200(client, app)"),
        ('TEXT = "a"', 'TEXT = "b"'),
        ('data={"name"', 'json={"name"'),
        ("from unittest.mock import ANY", "from mock import ANY"),
        ('OTHER = "b"', 'pytestmark = pytest.mark.filterwarnings("ignore")'),
    ],
)
def test_what_a_test_is_made_of_makes_it_another_one(tmp_path: Path, old: str, new: str) -> None:
    assert old in SUITE
    changed = SUITE.replace(old, new)

    assert fingerprint_of(tmp_path / "one", SUITE) != fingerprint_of(tmp_path / "two", changed)


def test_rows_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    moved = SUITE.replace('("a", 200), ("b", 404)', '("b", 404)')
    for folder, text in (("one", SUITE), ("two", moved)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / MODULE).write_text(text, encoding="utf-8")

    before = fingerprints(tmp_path / "one", [tmp_path / "one" / MODULE])
    after = fingerprints(tmp_path / "two", [tmp_path / "two" / MODULE])

    assert before[MODULE, "test_get_book", 1] == after[MODULE, "test_get_book", 0]


def test_other_fixtures_beside_a_test_make_it_another_one(tmp_path: Path) -> None:
    before = fingerprint_of(tmp_path, SUITE)
    (tmp_path / "conftest.py").write_text("import app\n", encoding="utf-8")

    assert fingerprint_of(tmp_path, SUITE) != before


def test_a_run_is_told_which_tests_are_proven() -> None:
    told = left_out({(MODULE, "test_get_book", 1), PLAIN_TEST})

    assert sorted(json.loads(told[VARIABLE]), key=repr) == sorted(
        [[MODULE, "test_get_book", 1], list(PLAIN_TEST)], key=repr
    )


def test_a_run_is_told_nothing_where_nothing_is_proven() -> None:
    assert left_out(()) == {}
