"""Statements on servers are seen and judged, whichever driver sends them."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from datetime import datetime

import pytest
from database_servers import MYSQL_DRIVERS
from database_servers import mariadb
from database_servers import postgresql

from pytest_evosearch.sut.database_servers.connections import watched_server_connections

pytest.importorskip("sqlglot")

__all__ = ("mariadb", "postgresql")

SCHEMA = (
    "CREATE TABLE shop (id INTEGER PRIMARY KEY, city VARCHAR(20))",
    (
        "CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(20), price INTEGER, made DATE, "
        "sold TIMESTAMP NULL, weight NUMERIC(8, 2), shop_id INTEGER)"
    ),
    "INSERT INTO shop VALUES (1, 'Bergen'), (2, 'Turku')",
    (
        "INSERT INTO item VALUES (1, 'lamp', 40, '2024-05-01', '2024-05-02 10:00:00', 1.5, 1), "
        "(2, 'Lantern', 90, NULL, NULL, 2.5, 2)"
    ),
)


@pytest.fixture(params=["psycopg2", "psycopg", *MYSQL_DRIVERS])
def connection(request, watch):
    kind = "mariadb" if request.param in MYSQL_DRIVERS else "postgresql"
    server = request.getfixturevalue(kind)
    name = server.fresh_database()
    with watched_server_connections() as connections:
        connections.queries, before = watch, connections.queries
        with closing(server.connect(request.param, name)) as opened:
            for statement in SCHEMA:
                opened.cursor().execute(statement)
            opened.commit()
            yield opened
        connections.queries = before


def ask(connection, statement, values=()):
    cursor = connection.cursor()
    cursor.execute(statement, values)
    return list(cursor.fetchall()) if cursor.description else cursor.rowcount


CONDITIONS = {
    "greater": ("price > %s", 900, 95),
    "equal": ("price = %s", 900, 91),
    "not equal": ("NOT price <> %s", 900, 91),
    "at most": ("price <= %s", -500, 39),
    "decimal": ("weight > %s", 900.0, 3.5),
    "text": ("name = %s", "lampshades", "lamb"),
    "date": ("made < %s", "2001-01-01", "2024-04-30"),
    "day": ("made > %s", date(2044, 1, 1), date(2024, 5, 3)),
    "moment": ("sold > %s", datetime(2044, 1, 1), datetime(2024, 5, 3)),
    "like": ("name LIKE %s", "%chandelier%", "%lamq%"),
    "not like": ("name NOT LIKE 'l%%' AND name LIKE %s", "chandelier%", "Lantem%"),
    "in": ("price IN (%s, 7)", 900, 42),
    "not in": ("price NOT IN (41, 90) AND price = %s", 900, 41),
    "between": ("price BETWEEN 41 AND %s", 1, 40),
    "not between": ("price NOT BETWEEN 0 AND 100 OR price = %s", 900, 91),
    "null": ("made IS NULL AND price = %s", 900, 91),
    "not null": ("made IS NOT NULL AND price = %s", 900, 41),
    "and": ("price > 50 AND name = %s", "lampshades", "Lanterm"),
    "or": ("price > 500 OR name = %s", "lampshades", "lamb"),
    "not": ("NOT (price <= %s OR name = 'x')", 900, 95),
    "lower": ("lower(name) = %s", "lampshades", "lanterm"),
    "upper": ("upper(name) = %s", "LAMPSHADES", "LANTERM"),
    "arithmetic": ("price + 10 > %s", 900, 101),
    "coalesce": ("coalesce(price, 0) > %s", 900, 95),
    "exists": (
        "EXISTS (SELECT 1 FROM shop WHERE shop.id = item.shop_id AND shop.city = %s)",
        "x",
        "Turkv",
    ),
    "in a subquery": ("shop_id IN (SELECT id FROM shop WHERE city = %s)", "x", "Turkv"),
    "join": ("city = %s AND price > 0", "x", "Turkv"),
}


@pytest.mark.parametrize(("where", "far", "near"), CONDITIONS.values(), ids=CONDITIONS)
def test_nearer_values_score_higher(where, far, near, connection, scales):
    found = []
    for value in (far, near):
        scales.scores.clear()
        tables = "item JOIN shop ON shop.id = shop_id" if "city" in where[:5] else "item"
        assert not ask(connection, f"SELECT item.id FROM {tables} WHERE {where}", (value,))
        assert scales.ending(" none") == 1.0
        found.append(scales.ending(" rows"))
    assert found[0] < found[1] < 1.0


def test_what_a_transaction_has_written_is_seen_in_it_and_told(connection, scales):
    ask(connection, "INSERT INTO item (id, name, price) VALUES (3, 'kite', 888)")
    assert ask(connection, "UPDATE item SET price = 1 WHERE price = %s", (889,)) == 0
    assert ("==", 888, 889) in scales.wished(" rows")
    assert ask(connection, "DELETE FROM item WHERE price > %s", (500,)) == 1
    connection.rollback()
    assert ask(connection, "SELECT count(*) FROM item") == [(2,)]


def test_query_of_ours_that_fails_does_not_break_the_transaction(connection, scales, watch):
    ask(connection, "UPDATE item SET price = 41 WHERE id = 1")
    # A division by zero, only where rows are judged that the statement itself never looks at.
    statement = "SELECT id FROM item WHERE price > 60 AND id = 2 AND 100 / (price - 41) > 1"
    ask(connection, statement)
    assert ask(connection, "SELECT price FROM item WHERE id = 1") == [(41,)]


def test_query_that_has_run_before_does_not_break_the_transaction_either(connection, scales):
    statement = "SELECT id FROM item WHERE price > 60 AND id = 2 AND 100 / (price - 41) > 1"
    ask(connection, statement)
    ask(connection, "UPDATE item SET price = 41 WHERE id = 1")
    ask(connection, statement)
    assert ask(connection, "SELECT price FROM item WHERE id = 1") == [(41,)]


BAD_VALUES = {
    "no number": ("id = %s", 1, "t"),
    "a number too large": ("id = cast(%s AS INTEGER)", 1, 9223372036854775808),
    "a list": ("name = %s", "lamp", ["lamp"]),
}


@pytest.mark.parametrize(("where", "good", "bad"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_statement_that_a_value_fails_says_why_each_time(where, good, bad, connection, scales):
    statement = f"SELECT id FROM item WHERE {where}"
    ask(connection, statement, (good,))
    told = []
    for _ in range(2):
        connection.rollback()
        try:
            told.append(ask(connection, statement, (bad,)))
        except Exception as error:
            told.append(type(error).__name__)
    assert told[0] == told[1]
    assert told[0] != "InFailedSqlTransaction"


def test_statement_that_fails_does_so_as_ever(connection):
    with pytest.raises(Exception, match="absent"):
        ask(connection, "SELECT id FROM item WHERE absent = %s", (3,))
    connection.rollback()
    assert ask(connection, "SELECT count(*) FROM item") == [(2,)]


WISHES = {
    "number": ("price > %s", 500, (">", 90, 500)),
    "text": ("name = %s", "x", ("==", "lamp", "x")),
    "date": ("made = %s", "2001-01-01", ("==", date(2024, 5, 1), "2001-01-01")),
    "pattern for a value": ("name LIKE %s", "%st%", ("contains", "lamp", "st")),
    "value for a pattern": ("name LIKE %s", "%st%", ("==", "st", "lamp")),
    "function": ("lower(name) = %s", "x", ("==", "lantern", "x")),
    "exists": ("EXISTS (SELECT 1 FROM shop WHERE city = %s)", "Bergem", ("==", "Bergen", "Bergem")),
}


@pytest.mark.parametrize(("where", "value", "wish"), WISHES.values(), ids=WISHES)
def test_columns_and_parameters_are_told(where, value, wish, connection, scales):
    assert not ask(connection, f"SELECT id FROM item WHERE {where}", (value,))
    assert wish in scales.wished(" rows")


CONSTRAINTS = {
    "unique": ((1, "tin", 7, 1, "S"), ("==", 1, 2)),
    "unique of two columns": ((3, "a", 3, 1, "S"), ("==", "a", "aa")),
    "foreign key": ((3, "tin", 7, 9, "S"), ("in", 9, (1, 2))),
    "not null": ((3, "tin", None, 1, "S"), ("==", None, 1)),
}


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_constraint_says_what_it_would_have_taken(constraint, connection, scales):
    values, wish = CONSTRAINTS[constraint]
    ask(
        connection,
        "CREATE TABLE can (id INTEGER PRIMARY KEY, name VARCHAR(5), weight INTEGER NOT NULL, "
        "shop_id INTEGER REFERENCES shop (id), size VARCHAR(2), UNIQUE (name, weight))",
    )
    ask(connection, "INSERT INTO can VALUES (1, 'a', 3, 1, 'S')")
    connection.commit()
    insert = "INSERT INTO can (id, name, weight, shop_id, size) VALUES (%s, %s, %s, %s, %s)"
    with pytest.raises(Exception, match=r"."):
        ask(connection, insert, values)
    assert wish in scales.wished(" accepted")
    connection.rollback()
    ask(connection, insert, (5, "tin", 8, 2, "L"))
    assert scales.ending(" accepted") == 1.0
