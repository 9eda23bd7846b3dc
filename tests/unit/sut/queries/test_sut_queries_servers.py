"""Statements on servers are seen and judged, whichever driver sends them."""

from __future__ import annotations

from contextlib import closing

import pytest
from database_servers import MYSQL_DRIVERS
from database_servers import mariadb
from database_servers import postgresql

from pytest_evosearch.sut.database_servers.connections import watched_server_connections

pytest.importorskip("sqlglot")

__all__ = ("mariadb", "postgresql")

SCHEMA = (
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(20), price INTEGER, made DATE)",
    "INSERT INTO item VALUES (1, 'lamp', 40, '2024-05-01'), (2, 'Lantern', 90, NULL)",
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


@pytest.mark.parametrize(
    ("where", "far", "near"),
    [
        ("price > %s", 900, 95),
        ("name = %s", "lampshades", "lamb"),
        ("made < %s", "2001-01-01", "2024-04-30"),
        ("name LIKE %s", "%chandelier%", "%lamq%"),
        ("price IN (%s, 7)", 900, 42),
        ("lower(name) = %s AND name LIKE 'L%%'", "lampshades", "lanterm"),
    ],
)
def test_nearer_values_score_higher(where, far, near, connection, scales):
    found = []
    for value in (far, near):
        scales.scores.clear()
        assert not ask(connection, f"SELECT id FROM item WHERE {where}", (value,))
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


def test_statement_that_fails_does_so_as_ever(connection):
    with pytest.raises(Exception, match="absent"):
        ask(connection, "SELECT id FROM item WHERE absent = %s", (3,))
    connection.rollback()
    assert ask(connection, "SELECT count(*) FROM item") == [(2,)]


CONSTRAINTS = {
    "unique": ((1, "tin", 7), ("==", 1, 2)),
    "length": ((3, "x" * 30, 7), ("==", "x" * 30, "x" * 5)),
    "check": ((3, "tin", 700), ("<", 700, 500)),
}


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_constraint_says_what_it_would_have_taken(constraint, connection, scales):
    values, wish = CONSTRAINTS[constraint]
    # PostgreSQL tells no condition in a transaction that has failed.
    tells = constraint != "check" or "psycopg" not in type(connection).__module__
    ask(
        connection,
        "CREATE TABLE can (id INTEGER PRIMARY KEY, name VARCHAR(5), weight INTEGER, "
        "CONSTRAINT light CHECK (weight < 500))",
    )
    ask(connection, "INSERT INTO can (id, name, weight) VALUES (1, 'a', 3)")
    connection.commit()
    with pytest.raises(Exception, match=r"."):
        ask(connection, "INSERT INTO can (id, name, weight) VALUES (%s, %s, %s)", values)
    assert (wish in scales.wished(" accepted")) == tells
