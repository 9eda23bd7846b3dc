from __future__ import annotations

import sqlite3
import sys

import pytest

from pytest_evosearch.core.targets import QUERY
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.sut.queries import watch as watch_module

pytest.importorskip("sqlglot")


def test_statement_that_finds_rows_covers_rows_and_is_near_to_none(database, scales):
    database.execute("SELECT * FROM item WHERE price > ?", (50,)).fetchall()
    assert scales.ending(" rows") == 1.0
    assert 0.1 < scales.ending(" none") < 1.0


@pytest.mark.parametrize(
    ("where", "far", "near"),
    [
        ("price > ?", 900, 95),
        ("price = ?", 900, 91),
        ("name = ?", "lampshades", "lamb"),
        ("made < ?", "2001-01-01", "2024-04-30"),
        ("name LIKE ?", "%chandelier%", "%lamq%"),
        ("price IN (?, 7)", 900, 42),
        ("price BETWEEN 41 AND ?", 1, 40),
        ("NOT price <= ?", 900, 95),
        ("price > 50 AND name = ?", "lampshades", "Lanterm"),
        ("price > 500 OR name = ?", "lampshades", "lamb"),
        ("lower(name) = ?", "lampshades", "lanterm"),
        ("price + 10 > ?", 900, 101),
        (
            "EXISTS (SELECT 1 FROM shop WHERE shop.id = item.shop_id AND shop.city = ?)",
            "x",
            "Turkv",
        ),
        ("shop_id IN (SELECT id FROM shop WHERE city = ?)", "x", "Turkv"),
    ],
)
def test_nearer_values_score_higher_where_no_row_is_found(where, far, near, database, scales):
    found = []
    for value in (far, near):
        scales.scores.clear()
        assert database.execute(f"SELECT id FROM item WHERE {where}", (value,)).fetchall() == []
        assert scales.ending(" none") == 1.0
        found.append(scales.ending(" rows"))
    assert 0.05 <= found[0] < found[1] < 1.0


@pytest.mark.parametrize(
    ("statement", "values", "wish"),
    [
        ("SELECT id FROM item WHERE name = ?", ("x",), ("==", "lamp", "x")),
        ("SELECT id FROM item WHERE price > ?", (500,), (">", 90, 500)),
        ("SELECT id FROM item WHERE name LIKE ?", ("%st%",), ("contains", "lamp", "st")),
        ("SELECT id FROM item WHERE name LIKE ?", ("%st%",), ("==", "st", "lamp")),
        ("SELECT id FROM item WHERE name LIKE 'st%'", (), ("startswith", "lamp", "st")),
        ("SELECT id FROM item WHERE price NOT IN (40, 90)", (), ("==", 40, 41)),
        ("UPDATE item SET price = 1 WHERE name = ?", ("x",), ("==", "lamp", "x")),
        ("DELETE FROM item WHERE name = ?", ("x",), ("==", "lamp", "x")),
        (
            "SELECT item.id FROM item JOIN shop ON shop.id = item.shop_id WHERE shop.city = ?",
            ("Oslo",),
            ("==", "Bergen", "Oslo"),
        ),
        (
            "SELECT id FROM shop WHERE EXISTS (SELECT 1 FROM item WHERE price > 500)",
            (),
            (">", 90, 500),
        ),
    ],
)
def test_columns_and_parameters_are_told_when_nothing_is_found(
    statement, values, wish, database, scales
):
    database.execute(statement, values).fetchone()
    assert wish in scales.wished(" rows")


def test_each_of_several_conditions_wants_both_outcomes(database, scales):
    database.execute("SELECT id FROM item WHERE price > 50 AND name = 'x'").fetchall()
    assert scales.ending("price > ? true") == 1.0
    assert scales.ending("price > ? false") == 1.0
    assert scales.ending("name = ? false") == 1.0
    assert 0.0 < scales.ending("name = ? true") < 1.0


def test_row_whose_value_is_null_fulfils_neither_a_condition_nor_its_opposite(database, scales):
    database.execute("SELECT id FROM item WHERE made > '2030-01-01' AND price > 50").fetchall()
    assert scales.ending("made > ? false") == 1.0  # of the lamp
    scales.scores.clear()
    database.execute("DELETE FROM item WHERE made IS NOT NULL AND price < 50").rowcount  # noqa: B018
    scales.scores.clear()
    database.execute("SELECT id FROM item WHERE made > '2030-01-01' AND price > 50").fetchall()
    assert scales.ending("made > ? false") == scales.ending("made > ? true") < 1.0


def test_count_finds_rows_only_where_it_counts_some(database, scales):
    for price, outcome in ((900, " none"), (50, " rows")):
        scales.scores.clear()
        database.execute("SELECT count(*) FROM item WHERE price > ?", (price,)).fetchone()
        assert scales.ending(outcome) == 1.0


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [
        ("UPDATE item SET price = 5 WHERE price > 50", " rows"),
        ("UPDATE item SET price = 5 WHERE price > 500", " none"),
        ("DELETE FROM item WHERE name = 'lamp'", " rows"),
        ("DELETE FROM empty", " none"),
        ("SELECT * FROM empty WHERE id = 3", " none"),
        ("WITH dear AS (SELECT * FROM item WHERE price > 50) SELECT * FROM dear", " rows"),
        ("SELECT id FROM item UNION SELECT id FROM shop", " rows"),
    ],
)
def test_outcome_is_what_the_database_did(statement, outcome, database, scales):
    database.execute(statement).fetchone()
    assert scales.ending(outcome) == 1.0


@pytest.mark.parametrize("fetch", [lambda c: c.fetchmany(2), lambda c: list(c), lambda c: next(c)])
def test_rows_are_seen_whichever_way_they_are_fetched(fetch, database, scales):
    fetch(database.cursor().execute("SELECT * FROM item"))
    assert scales.ending(" rows") == 1.0


def test_values_and_the_length_of_lists_make_no_other_statement(database, scales):
    for statement in (
        "SELECT id FROM item WHERE price IN (1, 2) AND name = 'a'",
        "SELECT id FROM item  WHERE price IN (3) AND name = 'b'",
    ):
        database.execute(statement).fetchall()
    database.execute("SELECT id FROM item WHERE price IN (?, ?) AND name = ?", (1, 2, "a"))
    assert scales.ending(" none") is not None


def test_line_has_one_target_for_each_outcome_whatever_it_runs(database, scales):
    for where in ("price > 50", "price > 500", "price > 500 AND name = 'lamp'", "name LIKE 'x%'"):
        database.execute(f"SELECT id FROM item WHERE {where}").fetchall()
    lines = {target: score for target, score in scales.scores.items() if kind_of(target) == QUERY}
    assert lines == {"query app.py:7 rows": 1.0, "query app.py:7 none": 1.0}


def test_outcome_of_a_line_is_not_approached_but_only_happens(database, scales):
    database.execute("SELECT id FROM item WHERE price > 50").fetchall()
    assert "query app.py:7 none" not in scales.scores


def test_of_a_statement_in_many_forms_the_last_ones_count_for_their_line(database, scales, watch):
    for number in range(watch_module.MOST_AT_A_PLACE + 5):
        columns = ", ".join(["id"] * (number + 1))
        database.execute(f"SELECT {columns} FROM item WHERE price > 500").fetchall()
    scales.retired.clear()
    scales.scores.clear()
    database.execute("SELECT name FROM item WHERE price > 50").fetchall()
    assert scales.scores["query app.py:7 rows"] == 1.0
    assert scales.scores["statement app.py:7 others rows"] == 1.0


def test_value_that_is_too_large_once_is_no_reason_to_look_away(database, scales, watch):
    statement = "SELECT id FROM item WHERE price = ?"
    with pytest.raises(OverflowError):
        database.execute(statement, (10**30,))
    database.execute(statement, (41,)).fetchall()
    assert ("==", 40, 41) in scales.wished(" rows")
    assert watch.notices() == []


def test_named_and_numbered_placeholders_are_understood(database, scales):
    database.execute("SELECT id FROM item WHERE name = :name", {"name": "x"}).fetchall()
    assert ("==", "lamp", "x") in scales.wished(" rows")
    scales.wishes.clear()
    database.execute("SELECT id FROM item WHERE price > ?2 AND name = ?1", ("y", 5)).fetchall()
    assert ("==", "lamp", "y") in scales.wished(" rows")


def test_rows_are_read_inside_the_transaction_of_the_application(database, scales):
    database.execute("INSERT INTO item (name, price) VALUES ('kite', 888)")
    database.execute("SELECT id FROM item WHERE price = 889").fetchall()
    assert ("==", 888, 889) in scales.wished(" rows")


@pytest.mark.parametrize(
    "change",
    [{"test": None}, {"line": None}],
    ids=["outside of a test", "outside of the application"],
)
def test_nothing_is_noted_elsewhere(change, database, scales):
    vars(scales).update(change)
    database.execute("SELECT * FROM item").fetchall()
    assert scales.scores == {}


def test_no_row_is_read_once_everything_is_covered(database, scales, watch):
    statement = "SELECT id FROM item WHERE price > 50"
    database.execute(statement).fetchall()
    scales.retired.update(scales.scores)
    scales.scores.clear()
    scales.retired.add("query app.py:7 none")
    watch._judged = lambda *_arguments: pytest.fail("rows were read")
    database.execute(statement).fetchall()
    assert scales.scores == {}


def test_without_distances_only_what_happened_counts(database, scales):
    scales.is_measuring = False
    database.execute("SELECT id FROM item WHERE price > 50").fetchall()
    assert scales.ending(" rows") == 1.0
    assert scales.ending(" none") == 0.05


def test_without_sqlglot_rows_and_none_still_count(database, scales, monkeypatch):
    from pytest_evosearch.sut.queries import parsing

    parsing.sqlglot.cache_clear()
    parsing.tree_of.cache_clear()
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    try:
        database.execute("SELECT id FROM item WHERE price > 50").fetchall()
        database.execute("SELECT id FROM item WHERE price > 51").fetchall()
    finally:
        parsing.sqlglot.cache_clear()
        parsing.tree_of.cache_clear()
    assert scales.ending(" rows") == 1.0
    assert scales.ending(" none") == 0.05


def test_what_cannot_be_judged_runs_as_ever_and_is_counted(database, scales, watch):
    database.create_function("fails", 1, lambda value: 1 / (value - 7))
    where = "fails(price) OR fails(?)"  # the second one is not asked where the first one holds
    assert len(database.execute(f"SELECT id FROM item WHERE {where}", (7,)).fetchall()) == 2
    with pytest.raises(sqlite3.OperationalError):
        database.execute("SELECT id FROM item WHERE absent = ?", (3,))
    [notice] = watch.notices()
    told = "1 statement of SQL could not be judged and only count by finding rows, such as: "
    assert notice == f"{told}SELECT id FROM item WHERE fails(price) OR fails(evo_p0)"


def test_statement_of_ours_is_told_to_nobody(database, scales):
    from pytest_evosearch.sut.watching.sqlite_connections import active_connections

    connections, told = active_connections(), []
    connections.trace = told.append
    database.execute("SELECT id FROM item WHERE price > 50 AND name = ?", ("a",)).fetchall()
    connections.trace = None
    assert told == ["SELECT id FROM item WHERE price > 50 AND name = 'a'"]


def test_cursors_of_a_class_of_the_application_stay_what_they_are(database):
    class Cursor(sqlite3.Cursor):
        pass

    assert type(database.cursor(Cursor)) is Cursor
    assert isinstance(database.cursor(), sqlite3.Cursor)
