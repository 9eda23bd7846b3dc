"""A look at the rows of one statement costs about as much as one at those of another."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from pytest_evosearch.sut.queries import row_predicates
from pytest_evosearch.sut.queries import selection
from pytest_evosearch.sut.queries.parsing import tree_of
from pytest_evosearch.sut.queries.row_nearness import judged_rows
from pytest_evosearch.sut.queries.row_predicates import RowQuery
from pytest_evosearch.sut.queries.selection import MOST_WORK
from pytest_evosearch.sut.queries.statements import read_statement

pytest.importorskip("sqlglot")

BOUGHT = "EXISTS (SELECT 1 FROM bought b WHERE b.buyer = c.id AND b.{})"


class Rows:
    """Reads rows of a database in memory."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript(
            "CREATE TABLE customer (id INTEGER, name TEXT, age INTEGER);"
            "CREATE TABLE bought (buyer INTEGER, price INTEGER, state TEXT);"
        )
        many = [(number, "a", number) for number in range(200)]
        self.connection.executemany("INSERT INTO customer VALUES (?, ?, ?)", many)
        self.connection.executemany(
            "INSERT INTO bought VALUES (?, ?, ?)", [(one[0], 1, "open") for one in many]
        )

    def read(self, query: RowQuery, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        text, parameters = query.spelled(values, "?")
        return self.connection.execute(text, parameters).fetchall()


@pytest.mark.parametrize(
    "where",
    [
        "name = 'z' AND age > 300",
        "name = 'z' AND name LIKE '%y%' AND age > 300 AND age < 900",
        f"age > 300 AND {BOUGHT.format('price > 5')}",
        f"{BOUGHT.format('price > 5')} AND {BOUGHT.format('price > 7')}",
        f"{BOUGHT.format('price > 5')} OR NOT {BOUGHT.format('buyer < 0')}",
        "id IN (SELECT buyer FROM bought WHERE price > 5 AND state = 'lost' AND buyer > 9)",
    ],
)
def test_comparisons_of_one_look_are_limited(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    real = row_predicates.weighed

    def counted(*sides: Any) -> Any:
        compared.append(sides)
        return real(*sides)

    monkeypatch.setattr(row_predicates, "weighed", counted)
    statement = read_statement(f"SELECT * FROM customer c WHERE {where}", (), False)
    rows = Rows()
    verdict = judged_rows(selection.select(tree_of(statement.text, "sqlite"), "sqlite"), rows, ())
    rows.connection.close()
    assert verdict.looks > 1
    assert 0 < len(compared) <= MOST_WORK
