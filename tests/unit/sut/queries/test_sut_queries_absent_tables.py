from __future__ import annotations

import sqlite3
from contextlib import suppress

import pytest

from pytest_evosearch.sut.queries.absent_tables import AbsentTables


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("no such table: main.film", ("main.film",)),
        ('relation "film" does not exist', ("film",)),
        ("(1146, \"Table 'shop.film' doesn't exist\")", ("shop.film",)),
        ("no such column: film.name", ()),
    ],
)
def test_every_kind_of_database_names_the_table_that_it_lacks(said, names):
    absent = AbsentTables()
    absent.note(RuntimeError(said))
    assert absent.take() == names
    absent.begin()
    assert absent.take() == ()


def test_watch_knows_the_table_also_where_the_error_is_caught(database, scales, watch):
    with suppress(sqlite3.Error):
        database.execute("SELECT * FROM film")
    assert watch.absent.take() == ("film",)


def test_table_that_the_call_makes_is_not_absent(database, scales, watch):
    with suppress(sqlite3.Error):
        database.execute("SELECT * FROM film")
    database.execute("CREATE TABLE film (id INTEGER)")
    assert watch.absent.take() == ()
