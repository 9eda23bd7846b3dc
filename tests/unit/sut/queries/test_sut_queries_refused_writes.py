from __future__ import annotations

import sqlite3

import pytest

pytest.importorskip("sqlglot")

SCHEMA = """
CREATE TABLE parcel (
    id INTEGER PRIMARY KEY, code TEXT UNIQUE, shop_id INTEGER REFERENCES shop (id),
    grams INTEGER NOT NULL, size TEXT
);
INSERT INTO parcel VALUES (1, 'Q-1', 1, 300, 'S');
PRAGMA foreign_keys = ON;
"""


@pytest.fixture
def parcels(database):
    database.executescript(SCHEMA)
    return database


INSERT = "INSERT INTO parcel (code, shop_id, grams, size) VALUES (?, ?, ?, ?)"


@pytest.mark.parametrize(
    ("values", "wish"),
    [
        (("Q-1", 1, 300, "S"), ("==", "Q-1", "Q-1a")),
        (("Q-2", 9, 300, "S"), ("in", 9, (1, 2))),
        (("Q-2", 1, None, "S"), ("==", None, 1)),
    ],
    ids=["unique", "foreign key", "not null"],
)
def test_constraint_says_what_it_would_have_taken(values, wish, parcels, scales):
    with pytest.raises(sqlite3.IntegrityError):
        parcels.execute(INSERT, values)
    assert scales.ending(" accepted") == 0.05
    assert wish in scales.wished(" accepted")
    parcels.execute(INSERT, ("Q-3", 2, 400, "L"))
    assert scales.ending(" accepted") == 1.0


def test_update_that_is_refused_says_so_too(parcels, scales):
    with pytest.raises(sqlite3.IntegrityError):
        parcels.execute("UPDATE parcel SET shop_id = ? WHERE id = 1", (9,))
    assert ("in", 9, (1, 2)) in scales.wished(" accepted")


def test_write_that_was_never_refused_is_no_target(parcels, scales):
    parcels.execute(INSERT, ("Q-3", 2, 400, "L"))
    assert scales.scores == {}


def test_error_of_another_kind_is_no_refusal(parcels, scales):
    with pytest.raises(sqlite3.OperationalError):
        parcels.execute("INSERT INTO absent (code) VALUES (?)", ("a",))
    assert scales.scores == {}
