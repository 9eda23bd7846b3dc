"""Rows that are given a known value, in the search and in written tests."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from contextlib import suppress
from types import ModuleType
from types import SimpleNamespace

import pytest
from flask import Flask
from werkzeug.security import check_password_hash

from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.state import sqlite_places
from pytest_evosearch.sut.state.lasting_databases import lasting_databases
from pytest_evosearch.sut.state.sqlite_places import KnownDatabases
from pytest_evosearch.sut.state.sqlite_places import find_databases
from pytest_evosearch.sut.users.stored_rows import Put
from pytest_evosearch.sut.users.stored_rows import StoredRow
from pytest_evosearch.sut.users.stored_rows import put_fixture
from pytest_evosearch.sut.users.stored_rows import row_of
from pytest_evosearch.sut.users.stored_rows import stored_bytes
from pytest_evosearch.sut.users.stored_rows import values_under

OLD, NEW = "d41d8cd98f00b204", "0cc175b9c0f1b6a8"


@pytest.fixture
def connection():
    opened = sqlite3.connect(":memory:")
    opened.execute("CREATE TABLE crew (id INTEGER, nick TEXT, salt TEXT, digest TEXT)")
    rows = [(1, "inga", "a1b2c3d4", OLD), (2, "jorn", "e5f6a7b8", "ffffffffffffffff")]
    opened.executemany("INSERT INTO crew VALUES (?, ?, ?, ?)", rows)
    opened.commit()
    yield opened
    opened.close()


@pytest.fixture
def module(connection, monkeypatch):
    import sys

    module = ModuleType("crewbase")
    vars(module).update(connection=connection, app=Flask("crewbase"))
    monkeypatch.setitem(sys.modules, "crewbase", module)
    return module


def test_row_is_found_by_value_and_named_by_what_was_sent(module):
    row = row_of(OLD, ("inga",), module.app, [module])
    assert row == StoredRow("crew", "digest", "nick", "inga", (("salt", "a1b2c3d4"),))
    assert row_of("not-stored-anywhere", (), module.app, [module]) is None


def test_values_of_a_column_are_those_of_the_tables_in_a_statement_people_first(module, connection):
    connection.execute("CREATE TABLE ship (nick TEXT)")
    connection.execute("INSERT INTO ship VALUES ('gull')")
    connection.execute("INSERT INTO crew VALUES (0, 'anon', '', '')")

    databases = KnownDatabases(module.app, [module], None)

    def under(statement):
        return values_under("NICK", statement, databases)

    assert under("SELECT * FROM crew c WHERE c.nick = 'a'") == ["inga", "jorn", "anon"]
    assert under('SELECT * FROM "ship" WHERE nick = ?') == ["gull"]
    assert under("SELECT 1") == []


def test_databases_are_looked_for_again_only_where_one_cannot_be_read(
    module, connection, monkeypatch
):
    looks = []

    def found(*places):
        looks.append(places)
        return find_databases(*places)

    monkeypatch.setattr(sqlite_places, "find_databases", found)
    databases = KnownDatabases(module.app, [module], None)
    statement = "SELECT * FROM crew WHERE nick = 'a'"
    for _ in range(3):
        assert values_under("nick", statement, databases) == ["inga", "jorn"]
    assert len(looks) == 1

    with closing(sqlite3.connect(":memory:")) as other:
        connection.backup(other)
        connection.close()
        module.connection = other
        assert values_under("nick", statement, databases) == []
        assert values_under("nick", statement, databases) == ["inga", "jorn"]
    assert len(looks) == 2


def put(row, database, *arguments):
    """Do in a search what the fixture for a row does in a test."""
    source = put_fixture("known", row, "", "client", database)
    return Put(source, arguments, ("crewbase",))


def test_value_is_put_in_its_place_alone(module, connection):
    client = SimpleNamespace(application=module.app)
    row = row_of(OLD, ("inga",), module.app, [module])
    put(row, None, "inga", NEW, "a1b2c3d4")(client)
    held = connection.execute("SELECT nick, digest FROM crew").fetchall()
    assert held == [("inga", NEW), ("jorn", "ffffffffffffffff")]


def run_fixture(source, *arguments):
    """Return what the function of a written fixture is, given what the fixture requests."""
    pytest_like = SimpleNamespace(fixture=lambda function: function)
    namespace: dict[str, object] = {
        "pytest": pytest_like,
        "sqlite3": sqlite3,
        "suppress": suppress,
    }
    exec(source, namespace)
    fixture = namespace["known"]
    assert callable(fixture)
    return fixture(*arguments)


def test_fixture_in_a_sandbox_sets_the_value_and_its_salt(module, connection):
    row = row_of(OLD, ("inga",), module.app, [module])
    assert row is not None
    source = put_fixture("known", row, "", "client", None)
    known = run_fixture(source, None, ({connection: None}, []))
    known("inga", NEW, "00aa11bb")
    held = connection.execute("SELECT digest, salt FROM crew WHERE nick = 'inga'").fetchone()
    assert held == (NEW, "00aa11bb")


def test_fixture_hashes_a_password_by_the_library_that_checks_it(module, connection):
    row = row_of(OLD, ("inga",), module.app, [module])
    assert row is not None
    maker = "werkzeug.security.generate_password_hash"
    database = LastingDatabase(("connection = app.connection",))
    source = put_fixture("known", row, maker, "client", database)
    module.app.connection = connection
    known = run_fixture(source, SimpleNamespace(application=module.app))
    known("inga", "Cedar-2041")
    (held,) = connection.execute("SELECT digest FROM crew WHERE nick = 'inga'").fetchone()
    assert check_password_hash(held, "Cedar-2041")


def test_bytes_are_put_with_the_salt_beside_them(module, connection):
    connection.execute("CREATE TABLE guard (nick TEXT, salt BLOB, digest BLOB)")
    old, salt = bytes(range(130, 150)), bytes(range(200, 208))
    connection.execute("INSERT INTO guard VALUES ('lars', ?, ?)", (salt, old))
    connection.commit()

    assert list(stored_bytes(module.app, [module])) == [salt, old]
    row = row_of(old, ("lars",), module.app, [module])
    assert row == StoredRow("guard", "digest", "nick", "lars", (("salt", salt),))
    client = SimpleNamespace(application=module.app)
    put(row, None, "lars", b"new", salt)(client)
    assert connection.execute("SELECT digest FROM guard").fetchone() == (b"new",)


def test_fixture_imports_what_its_opening_needs_first(module):
    row = row_of(OLD, ("inga",), module.app, [module])
    assert row is not None
    opening = ("from inspect import unwrap", "", "connection = unwrap(app.connection)")
    source = put_fixture("known", row, "", "client", LastingDatabase(opening))
    assert "    from inspect import unwrap\n\n    app = client.application" in source
    assert "import sqlite3" not in source


def test_database_that_others_have_locked_tells_nothing_and_ends_nothing(tmp_path):
    path = tmp_path / "crew.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE crew (nick TEXT, digest TEXT)")
    other.execute("INSERT INTO crew VALUES ('inga', ?)", (OLD,))
    other.commit()
    app = Flask("crewbase")
    app.config["DATABASE"] = str(path)
    client = SimpleNamespace(application=app)
    row = row_of(OLD, ("inga",), app, [])
    assert row is not None

    other.execute("BEGIN EXCLUSIVE")

    assert row_of(OLD, ("inga",), app, []) is None
    assert list(stored_bytes(app, [])) == []
    put(row, None, "inga", NEW)(client)
    other.rollback()
    assert other.execute("SELECT digest FROM crew").fetchone() == (OLD,)
    other.close()


def test_search_and_test_put_a_value_by_the_same_text(tmp_path, monkeypatch):
    import sys

    path = tmp_path / "crew.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE crew (nick TEXT, digest TEXT)")
        connection.execute("INSERT INTO crew VALUES ('inga', ?)", (OLD,))
    module = ModuleType("app")
    vars(module).update(FILES={"crew": path}, app=Flask("crewbase"))
    monkeypatch.setitem(sys.modules, "app", module)
    row = row_of(OLD, ("inga",), module.app, [module])
    row = row or StoredRow("crew", "digest", "nick", "inga")
    [database] = lasting_databases(module.app, [module], [path], tmp_path / "other", tmp_path)

    put(row, database, "inga", NEW)(SimpleNamespace(application=module.app))

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT digest FROM crew").fetchone() == (NEW,)
    source = put_fixture("known", row, "", "client", database)
    assert 'connection = sqlite3.connect(FILES["crew"])' in source
    assert source.index("import sqlite3") < source.index("from app import FILES")
    assert "        connection.close()\n\n    return known\n" in source
