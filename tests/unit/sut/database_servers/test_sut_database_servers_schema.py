"""What requests create, alter and drop is undone as well."""

from __future__ import annotations

from typing import Any

import pytest
from database_servers import Server
from database_servers import content
from database_servers import execute
from database_servers import fill
from flask import Flask

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.state.reset import choose_keeper

DRIVERS = {"postgresql": "psycopg2", "mariadb": "pymysql"}

SHAPE = {
    "postgresql": (
        (
            "SELECT table_name, column_name, data_type, is_nullable, column_default"
            " FROM information_schema.columns WHERE table_schema !~ '^(pg_|info|evo)'"
            " ORDER BY 1, ordinal_position"
        ),
        "SELECT indexdef FROM pg_indexes WHERE schemaname IN ('public', 'archive') ORDER BY 1",
        (
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype <> 'n' AND connamespace = 'public'::regnamespace ORDER BY 1"
        ),
        "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
        "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'",
        "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|evosearch)' ORDER BY 1",
        "SELECT typname, enumlabel FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid ORDER BY 1",
        "SELECT relname FROM pg_class WHERE relpersistence = 't'",
    ),
    "mysql": (
        (
            "SELECT table_name, column_name, column_type, is_nullable, column_default"
            " FROM information_schema.columns WHERE table_schema = database()"
            " ORDER BY 1, ordinal_position"
        ),
        (
            "SELECT table_name, index_name, column_name FROM information_schema.statistics"
            " WHERE table_schema = database() ORDER BY 1, 2, 3"
        ),
        (
            "SELECT constraint_name, table_name FROM information_schema.table_constraints"
            " WHERE table_schema = database() ORDER BY 2, 1"
        ),
        (
            "SELECT trigger_name, action_statement FROM information_schema.triggers"
            " WHERE trigger_schema = database() ORDER BY 1"
        ),
        "SELECT table_name FROM information_schema.views WHERE table_schema = database()",
    ),
}

FURTHER = {
    "postgresql": (
        "CREATE TYPE mood AS ENUM ('sad', 'merry')",
        (
            "CREATE TABLE visitor (id serial PRIMARY KEY, mood mood NOT NULL DEFAULT 'sad',"
            " born date CHECK (born > '1900-01-01'), shelf_id int REFERENCES shelf)"
        ),
        "INSERT INTO visitor (mood, shelf_id) VALUES ('merry', 1), ('sad', 2)",
        "CREATE INDEX by_mood ON visitor (mood) WHERE born IS NOT NULL",
        "CREATE VIEW happy AS SELECT * FROM visitor WHERE mood = 'merry'",
    ),
    "mysql": (
        (
            "CREATE TABLE visitor (id int AUTO_INCREMENT PRIMARY KEY, mood enum('sad', 'merry'),"
            " born date, shelf_id int, KEY by_born (born),"
            " FOREIGN KEY (shelf_id) REFERENCES shelf (id))"
        ),
        "INSERT INTO visitor (mood, shelf_id) VALUES ('merry', 1), ('sad', 2)",
        "CREATE VIEW happy AS SELECT * FROM visitor WHERE mood = 'merry'",
    ),
}

REQUESTS = {
    "postgresql": {
        "a new table": [
            "CREATE TABLE fresh (id serial PRIMARY KEY)",
            "INSERT INTO fresh DEFAULT VALUES",
        ],
        "a new column": ["ALTER TABLE visitor ADD COLUMN age int DEFAULT 3"],
        "a column less": ["ALTER TABLE visitor DROP COLUMN born CASCADE"],
        "a column renamed": ["ALTER TABLE journal RENAME COLUMN line TO text"],
        "another type": ["ALTER TABLE journal ALTER COLUMN line TYPE varchar(3) USING 'abc'"],
        "a table less": ["DROP TABLE visitor CASCADE"],
        "a table that others refer to": ["DROP TABLE shelf CASCADE"],
        "made anew": [
            "DROP TABLE visitor CASCADE",
            "DROP TYPE mood",
            "CREATE TYPE mood AS ENUM ('sad', 'merry')",
            "CREATE TABLE visitor (id serial PRIMARY KEY, mood mood)",
        ],
        "emptied": ["TRUNCATE book, journal RESTART IDENTITY"],
        "temporary": [
            "CREATE TEMP TABLE passing (id serial)",
            "INSERT INTO passing DEFAULT VALUES",
        ],
        "an index": ["CREATE INDEX fresh_index ON journal (line)", "DROP INDEX by_mood"],
        "a constraint": ["ALTER TABLE journal ADD CONSTRAINT short CHECK (length(line) < 99)"],
        "a schema": ["CREATE SCHEMA fresh", "CREATE TABLE fresh.item (id int)"],
        "everything": ["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"],
        "a sequence": ["DROP SEQUENCE ticket", "CREATE SEQUENCE other"],
        "a trigger": ["DROP TRIGGER noting ON shelf"],
    },
    "mysql": {
        "a new table": [
            "CREATE TABLE fresh (id int AUTO_INCREMENT PRIMARY KEY)",
            "INSERT INTO fresh VALUES (NULL)",
        ],
        "a new column": ["ALTER TABLE visitor ADD COLUMN age int DEFAULT 3"],
        "a column less": ["ALTER TABLE visitor DROP COLUMN born"],
        "a column renamed": ["ALTER TABLE journal CHANGE line words text"],
        "another type": ["ALTER TABLE many MODIFY value varchar(9)"],
        "a table less": ["DROP TABLE visitor"],
        "a table that others refer to": ["SET foreign_key_checks = 0", "DROP TABLE shelf"],
        "emptied": ["TRUNCATE journal", "TRUNCATE visitor"],
        "an index": [
            "CREATE INDEX fresh_index ON many (id, value(3))",
            "DROP INDEX by_born ON visitor",
        ],
        "a trigger": ["DROP TRIGGER noting"],
        "a view": ["DROP VIEW happy", "CREATE VIEW other AS SELECT 1"],
    },
}

CASES = [
    (name, case)
    for name, kind in (("postgresql", "postgresql"), ("mariadb", "mysql"))
    for case in REQUESTS[kind]
]


def shape(connection: Any, kind: str) -> list[Any]:
    found = [execute(connection, query) for query in SHAPE[kind]]
    connection.rollback()
    return found


@pytest.mark.parametrize(("name", "case"), CASES)
def test_the_schema_comes_back(name: str, case: str, request: pytest.FixtureRequest) -> None:
    driver = DRIVERS[name]
    pytest.importorskip(driver)
    server: Server = request.getfixturevalue(name)
    database = server.fresh_database()
    fill(server, database)
    other = server.connect(driver, database)
    for statement in FURTHER[server.kind]:
        execute(other, statement)
    other.commit()
    with watched_server_connections():
        own = server.connect(driver, database)
        keeper = choose_keeper(Flask("shop"), [])
        keeper.snapshot()
        before = shape(other, server.kind), content(other, server.kind)
        for _ in range(2):
            for statement in REQUESTS[server.kind][case]:
                execute(own, statement)
            own.commit()
            keeper.restore()
            assert (shape(other, server.kind), content(other, server.kind)) == before
        keeper.close()
    assert (shape(other, server.kind), content(other, server.kind)) == before
    own.close()
    other.close()
