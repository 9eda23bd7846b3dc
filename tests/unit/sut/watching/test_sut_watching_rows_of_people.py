from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_evosearch.sut.fixture_texts.support_text import DatabaseCopies
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text
from pytest_evosearch.sut.watching.rows_of_people import leave_people_out
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections
from pytest_evosearch.sut.watching.sqlite_connections import withheld_tables

LIBRARY = """
CREATE TABLE borrower (card TEXT PRIMARY KEY, name TEXT);
INSERT INTO borrower VALUES ('B-77', 'Ottoline Brandwein'), ('B-78', 'Kuno Maria Vogt');
CREATE TABLE loan (borrower TEXT REFERENCES borrower, book TEXT);
INSERT INTO loan VALUES ('B-77', 'Moss');
CREATE TABLE role (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO role VALUES (1, 'reader'), (2, 'keeper of keys and of the door');
CREATE TABLE book (title TEXT);
INSERT INTO book VALUES ('The Moss'), ('A Hill'), ('Rain on Stone');
CREATE TABLE letter (id INTEGER PRIMARY KEY, "to" TEXT, email TEXT);
"""


def database(path: Path, script: str = LIBRARY) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def rows(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_rows_of_people_and_what_refers_to_them_are_left_out(tmp_path: Path) -> None:
    copy = database(tmp_path / "copy.db")

    assert leave_people_out(copy, sqlite3.connect) == ("borrower", "loan")
    assert [rows(copy, one) for one in ("borrower", "loan", "role", "book")] == [0, 0, 2, 3]


@pytest.mark.parametrize("column", ["email", "date_of_birth", "homePhone", "surname"])
def test_columns_of_people_are_known_by_their_names(tmp_path: Path, column: str) -> None:
    script = f"CREATE TABLE t ({column}); INSERT INTO t VALUES ('x')"
    assert leave_people_out(database(tmp_path / "copy.db", script), sqlite3.connect) == ("t",)


def test_what_is_no_database_stays(tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("no database, but a longer text of another kind")
    assert leave_people_out(tmp_path / "copy.db", sqlite3.connect) == ()


def test_copies_of_a_search_lack_them_and_the_original_keeps_them(tmp_path: Path) -> None:
    original = database(tmp_path / "library.db")
    with watched_connections(tmp_path / "copies", tmp_path):
        with closing(sqlite3.connect(original)) as connection:
            assert connection.execute("SELECT * FROM borrower").fetchall() == []
        assert withheld_tables() == {"library.db": ("borrower", "loan")}

    assert rows(original, "borrower") == 2


def test_copies_of_written_tests_lack_them_too(tmp_path: Path) -> None:
    recipe = SupportText("from shop import app", "app", databases=True)
    copies = DatabaseCopies(withheld={"library.db": ("borrower", "loan")})

    text = conftest_text(replace(recipe, copies=copies), tmp_path)

    assert 'WITHOUT_ROWS = {\n    "library.db": ["borrower", "loan"],\n}\n' in text
    assert text.count("leave_people_out(") == 3
    compile(text, "conftest.py", "exec")
    assert "WITHOUT_ROWS" not in conftest_text(recipe, tmp_path)
