from __future__ import annotations

import sqlite3
from contextlib import closing

from pytest_evosearch.sut.state.sqlite_values import MOST_ROWS
from pytest_evosearch.sut.state.sqlite_values import stored_values


def test_first_rows_are_read_by_column_in_a_stable_order() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute('CREATE TABLE "b ""q" (code TEXT, amount REAL, raw BLOB, empty TEXT)')
        database.execute('INSERT INTO "b ""q" VALUES (?, ?, ?, ?)', ("zq7", 2.5, b"x", ""))
        database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)")
        database.executemany("INSERT INTO a VALUES (?)", [(n,) for n in range(1, 100)])
        values = list(stored_values(database))
    assert [value for value in values if value[0] == "id"] == [
        ("id", n) for n in range(1, MOST_ROWS + 1)
    ]
    assert ("code", "zq7") in values
    assert ("amount", 2.5) in values
    assert not any(column in ("raw", "empty") for column, _value in values)


def test_keys_also_go_by_the_name_of_their_table() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE categories (id INTEGER, label TEXT)")
        database.execute("INSERT INTO categories VALUES (7, 'x')")
        values = list(stored_values(database))
    assert values == [("id", 7), ("category_id", 7), ("label", "x")]
