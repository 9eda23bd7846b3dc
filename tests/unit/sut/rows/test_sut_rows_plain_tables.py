from __future__ import annotations

import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest
from database_servers import mariadb
from database_servers import postgresql

from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.rows.kinds import Opening
from pytest_evosearch.sut.rows.kinds import Openings
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.plain_tables import TableRows
from pytest_evosearch.sut.rows.plain_tables import described_by_server
from pytest_evosearch.sut.rows.plain_tables import described_by_sqlite
from pytest_evosearch.sut.rows.plain_tables import table_models

__all__ = ("mariadb", "postgresql")

OWNER = (
    "CREATE TABLE owner ({key}, name VARCHAR(20) NOT NULL, "
    "tier VARCHAR(9) NOT NULL CHECK (tier IN ('free', 'paid')), since DATE, active BOOLEAN)"
)
LIMITS = (
    "CREATE TABLE limits (name VARCHAR(30) PRIMARY KEY, share INTEGER NOT NULL, "
    "price NUMERIC(8, 2), stamp TIMESTAMP NULL, owner_id INTEGER NOT NULL, "
    "FOREIGN KEY (owner_id) REFERENCES owner (id))"
)
KEYS = {
    "sqlite": "id INTEGER PRIMARY KEY",
    "postgresql": "id SERIAL PRIMARY KEY",
    "mariadb": "id INTEGER AUTO_INCREMENT PRIMARY KEY",
}


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def connection(request):
    if request.param == "sqlite":
        opened = sqlite3.connect(":memory:")
    else:
        server = request.getfixturevalue(request.param)
        driver = "psycopg2" if request.param == "postgresql" else "pymysql"
        opened = server.connect(driver, server.fresh_database())
    with closing(opened):
        for statement in (OWNER.format(key=KEYS[request.param]), LIMITS):
            opened.cursor().execute(statement)
        opened.commit()
        opened_kind[0] = request.param
        yield opened


opened_kind = [""]


def models_of(connection):
    def run(statement):
        with closing(connection.cursor()) as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    if opened_kind[0] == "sqlite":
        return table_models(described_by_sqlite(run))
    dialect = POSTGRESQL if opened_kind[0] == "postgresql" else MYSQL
    return table_models(described_by_server(dialect, run))


def test_tables_are_read_with_types_lengths_options_and_references(connection):
    found = {model.name: model for model in models_of(connection)}
    owner, limits = found["owner"], found["limits"]
    assert owner.key == "id"
    required = {field.name: field.required for field in owner.gene.fields}
    assert required == {"name": True, "tier": True, "since": False, "active": False}
    assert owner.gene.field("name").gene.maximum_length == 20
    assert owner.gene.field("tier").gene.options == ("free", "paid")
    assert owner.temporal["since"] == "date"
    assert [field.name for field in limits.gene.fields] == ["name", "share", "price", "stamp"]
    assert limits.parents["owner_id"].model == "owner"
    assert (limits.parents["owner_id"].attribute, limits.parents["owner_id"].needed) == ("id", True)


def test_rows_are_inserted_parents_first(connection):
    store = RowStore(name="{client}.application.connection", contexts=())
    way = Opening(store, SimpleNamespace(connection=connection))
    family = TableRows(models_of(connection), Openings(lambda: [way]))
    placed = family.place(
        [
            RowToPlace("owner", {"name": "a", "tier": "paid", "since": "2000-01-01"}),
            RowToPlace("limits", {"name": "b", "share": 3, "unknown": 1}),
        ]
    )
    cursor = connection.cursor()
    cursor.execute("SELECT limits.name, share, tier FROM limits JOIN owner ON owner.id = owner_id")
    assert [tuple(row) for row in cursor.fetchall()] == [("b", 3, "paid")]
    assert placed[1].values == {"name": "b", "share": 3}
    assert placed[1].parents == {"owner_id": (0, "id")}
    marker = "?" if opened_kind[0] == "sqlite" else "%s"
    assert placed[0].store.marker == marker
    with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
        family.place([RowToPlace("limits", {"name": "b", "share": 4})])


@pytest.mark.parametrize(
    ("store", "table", "columns", "statement"),
    [
        (RowStore(), "item", ("name", "price"), "INSERT INTO item (name, price) VALUES (?, ?)"),
        (RowStore(), "order", ("group",), 'INSERT INTO "order" ("group") VALUES (?)'),
        (RowStore(), "item", (), "INSERT INTO item DEFAULT VALUES"),
        (RowStore(marker="%s"), "order", ("a b",), "INSERT INTO `order` (`a b`) VALUES (%s)"),
        (RowStore(marker="%s"), "item", (), "INSERT INTO item () VALUES ()"),
        (
            RowStore(marker="%s", returns_keys=True),
            "item",
            ("name",),
            "INSERT INTO item (name) VALUES (%s) RETURNING id",
        ),
    ],
)
def test_statements_suit_their_database(store, table, columns, statement):
    assert store.insertion(table, columns, "id") == statement
