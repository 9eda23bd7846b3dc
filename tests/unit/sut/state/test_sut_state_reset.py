from __future__ import annotations

import os
import random
import sqlite3
import sys
from contextlib import closing
from types import ModuleType
from types import SimpleNamespace

import pytest
from flask import Flask

from pytest_evosearch.sut.state import sqlite_places
from pytest_evosearch.sut.state.reset import choose_keeper
from pytest_evosearch.sut.state.sqlite_state import FileDatabase
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


def rows(path, table="t"):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def execute(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@pytest.fixture(autouse=True)
def only_engines_of_this_test(monkeypatch):
    """Leave out engines of earlier tests of this worker: flask_appbuilder's is never freed."""
    find, earlier = sqlite_places.find_engines, sqlite_places.find_engines(Flask(__name__))

    def find_own(app):
        return [one for one in find(app) if not any(one is other for other in earlier)]

    monkeypatch.setattr(sqlite_places, "find_engines", find_own)


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "data.db"
    execute(path, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
    return path


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_file_is_restored(database, journal):
    execute(database, f"PRAGMA journal_mode = {journal}")
    kept = FileDatabase(database)
    kept.snapshot()
    for _ in range(3):
        execute(database, "INSERT INTO t VALUES (2)", "CREATE TABLE u (y)")
        kept.restore()
        assert rows(database) == [(1,)]
        assert rows(database, "sqlite_master")[0][1] == "t"
        assert len(rows(database, "sqlite_master")) == 1
    assert kept.was_changed
    kept.close()


def test_an_unchanged_file_is_left_alone(database):
    kept = FileDatabase(database)
    kept.snapshot()
    before = database.stat().st_mtime_ns
    kept.restore()
    assert database.stat().st_mtime_ns == before
    assert not kept.was_changed
    kept.close()


def test_a_deleted_file_comes_back(database):
    kept = FileDatabase(database)
    kept.snapshot()
    database.unlink()
    kept.restore()
    assert rows(database) == [(1,)]
    kept.close()


def test_open_connections_see_the_restored_rows(database):
    kept = FileDatabase(database)
    kept.snapshot()
    with closing(sqlite3.connect(database)) as held:
        for _ in range(2):
            held.execute("INSERT INTO t VALUES (2)")
            held.commit()
            assert len(held.execute("SELECT * FROM t").fetchall()) == 2
            kept.restore()
            assert held.execute("SELECT * FROM t").fetchall() == [(1,)]
    kept.close()


def test_a_transaction_left_open_is_rolled_back(database):
    app = Flask(__name__)
    app.config["DATABASE"] = str(database)
    keeper = choose_keeper(app, [])
    keeper.snapshot()
    execute(database, "INSERT INTO t VALUES (2)")
    with closing(sqlite3.connect(database)) as leaked:
        leaked.execute("INSERT INTO t VALUES (3)")
        keeper.restore()
        assert not leaked.in_transaction
    assert rows(database) == [(1,)]
    keeper.close()


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_transaction_left_open_does_not_lock_the_next_test_out(database, journal):
    execute(database, f"PRAGMA journal_mode = {journal}")
    app = Flask(__name__)
    app.config["DATABASE"] = str(database)
    keeper = choose_keeper(app, [])
    keeper.snapshot()
    with closing(sqlite3.connect(database)) as leaked:
        leaked.execute("INSERT INTO t VALUES (3)")  # nothing is committed: the file is as it was
        keeper.restore()
        assert not leaked.in_transaction
        execute(database, "INSERT INTO t VALUES (4)")
    keeper.restore()
    assert rows(database) == [(1,)]
    keeper.close()


def test_a_transaction_that_fixtures_hold_open_stays_open(database):
    app = Flask(__name__)
    app.config["DATABASE"] = str(database)
    with closing(sqlite3.connect(database)) as held:
        held.execute("INSERT INTO t VALUES (3)")
        keeper = choose_keeper(app, [])
        keeper.snapshot()
        keeper.restore()
        assert held.in_transaction
    keeper.close()


def test_rows_of_a_database_in_memory_that_nobody_has_committed_are_there():
    module = ModuleType("rooms")
    with closing(sqlite3.connect(":memory:")) as module.ROOMS:
        module.ROOMS.execute("CREATE TABLE room (number)")
        module.ROOMS.execute("INSERT INTO room VALUES (7)")
        keeper = choose_keeper(Flask(__name__), [module])
        keeper.snapshot()
        module.ROOMS.execute("DELETE FROM room")
        keeper.restore()
        assert module.ROOMS.execute("SELECT * FROM room").fetchall() == [(7,)]
        keeper.close()


def test_an_exclusive_transaction_left_open_is_rolled_back(database):
    app = Flask(__name__)
    app.config["DATABASE"] = str(database)
    keeper = choose_keeper(app, [])
    keeper.snapshot()
    with closing(sqlite3.connect(database)) as leaked:  # as a call that was cut off leaves it
        leaked.execute("BEGIN EXCLUSIVE")
        leaked.execute("INSERT INTO t VALUES (3)")
        keeper.restore()
        assert not leaked.in_transaction
    assert rows(database) == [(1,)]
    keeper.close()


@pytest.mark.parametrize("uri", ["sqlite://", "sqlite:///shop.db"])
def test_flask_sqlalchemy(load, tmp_path, uri):
    if uri != "sqlite://":
        uri = f"sqlite:///{tmp_path / 'shop.db'}"
    shop = load("shop_sqlalchemy")
    app = shop.create_app(uri)
    keeper = choose_keeper(app, [shop])
    keeper.snapshot()
    client = app.test_client()
    assert "SQLite" in keeper.description
    for _ in range(3):
        assert client.post("/products", json={"name": "a"}).json == {"id": 2}
        assert client.get("/products").json == {"products": ["seed", "a"]}
        keeper.restore()
        assert client.get("/products").json == {"products": ["seed"]}
    keeper.close()
    with app.app_context():
        shop.db.engine.dispose()


def test_failed_requests_leave_no_broken_session(load):
    shop = load("shop_sqlalchemy")
    app = shop.create_app()
    keeper = choose_keeper(app, [shop])
    keeper.snapshot()
    client = app.test_client()
    assert client.post("/products", json={"name": "seed"}).status_code == 500
    keeper.restore()
    assert client.post("/products", json={"name": "a"}).status_code == 201
    keeper.close()
    with app.app_context():
        shop.db.engine.dispose()


def test_a_file_opened_later_is_kept_too(tmp_path):
    path = tmp_path / "late.db"
    with watched_connections():
        keeper = choose_keeper(Flask(__name__), [])
        keeper.snapshot()
        assert keeper.description == "none found"
        execute(path, "CREATE TABLE t (x)")
        keeper.restore()
        assert rows(path, "sqlite_master") == []
        keeper.close()


def test_random_numbers_repeat():
    keeper = choose_keeper(Flask(__name__), [])
    keeper.snapshot()
    first = random.random()
    keeper.restore()
    assert random.random() == first


def test_description_names_what_is_kept(load, database):
    todo = load("todo_memory")
    todo.app.config["DATABASE"] = str(database)
    keeper = choose_keeper(todo.app, [todo])
    keeper.snapshot()
    assert keeper.description.startswith(
        "1 SQLite file, module globals of 1 module, restored from memory ("
    )
    keeper.close()


def test_a_second_hook_adds_nothing(tmp_path):
    with watched_connections(tmp_path / "copies", tmp_path) as outer:
        with watched_connections() as inner:
            assert inner is outer
        execute(tmp_path / "data.db", "CREATE TABLE t (x)")
        assert list(outer.copies) == [tmp_path / "data.db"]
    assert not (tmp_path / "data.db").exists()


def test_a_file_opened_by_a_class_of_the_application_is_kept_too(tmp_path):
    path = tmp_path / "own.db"
    with watched_connections() as connections:

        class Own(sqlite3.Connection):
            def __init__(self):
                super().__init__(path)

        keeper = choose_keeper(Flask(__name__), [])
        keeper.snapshot()
        with closing(Own()) as own:
            own.execute("CREATE TABLE t (x)")
        assert connections.files == [path]
        keeper.restore()
        assert rows(path, "sqlite_master") == []
        keeper.close()


def test_a_class_of_the_application_opens_a_copy_of_a_file_of_the_project(tmp_path):
    path = tmp_path / "own.db"
    with watched_connections(tmp_path / "copies", tmp_path) as connections:
        sqlite3.connect(path).close()
        assert not connections.by_class
        with closing(sqlite3.Connection(path)) as copy:
            copy.execute("CREATE TABLE t (x)")
        assert connections.by_class
        with closing(sqlite3.Connection(":memory:")) as memory:
            memory.execute("CREATE TABLE t (x)")
    assert not path.exists()
    assert rows(connections.copies[path], "sqlite_master")


def test_connections_are_of_the_class_that_applications_ask_for(database):
    class Early(sqlite3.Connection):
        """Derived before anybody watches."""

    statements = []
    with watched_connections() as connections:
        connections.trace = statements.append
        for arguments in ({}, {"factory": Early}):
            with closing(sqlite3.connect(database, **arguments)) as connection:
                connection.execute("SELECT 1")
                assert type(connection) is arguments.get("factory", sqlite3.Connection)
                assert connection.execute("PRAGMA synchronous").fetchone() == (0,)
    assert statements.count("SELECT 1") == 2
    assert sqlite3.Connection.__init__ is Early.__init__


def test_real_paths_are_looked_up_once(database, monkeypatch):
    monkeypatch.chdir(database.parent)
    with watched_connections() as connections:
        sqlite3.connect(database).close()
        sqlite3.connect(database.name).close()
        monkeypatch.setattr(connections, "resolve", None)
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA synchronous").fetchone() == (0,)  # not for the disk
        sqlite3.connect(database.name).close()
    assert connections.files == [database]


def test_the_same_name_in_another_folder_is_another_file(database, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    with watched_connections() as connections:
        for folder in (database.parent, other):
            monkeypatch.chdir(folder)
            sqlite3.connect(database.name).close()
    assert connections.files == [database, other / database.name]


def test_settings_come_back():
    app = Flask(__name__)
    app.config["FOLDER"] = "notes"
    keeper = choose_keeper(app, [])
    keeper.snapshot()

    app.config["FOLDER"] = "absent"
    app.config["EXTENSION"] = "a.js"
    del app.config["SECRET_KEY"]
    keeper.restore()

    assert app.config["FOLDER"] == "notes"
    assert "EXTENSION" not in app.config
    assert app.config["SECRET_KEY"] is None
    keeper.close()


def test_what_settings_hold_comes_back_all_the_way_down():
    app = Flask(__name__)
    engine = object()
    search = app.config["SEARCH"] = {"enabled": False, "engines": [engine, {"size": 1}]}
    keeper = choose_keeper(app, [])
    keeper.snapshot()
    assert keeper.settings_source("client") is None

    search["enabled"] = True
    search["engines"][1]["size"] = 2
    search["more"] = 1
    keeper.restore()

    assert app.config["SEARCH"] is search
    assert search == {"enabled": False, "engines": [engine, {"size": 1}]}
    source = keeper.settings_source("client")
    assert 'saved_search = deepcopy(settings["SEARCH"])' in source
    assert 'settings["SEARCH"].update(saved_search)' in source
    compile(source, "conftest.py", "exec")


def test_settings_that_cannot_be_copied_are_kept_as_they_are():
    app = Flask(__name__)
    app.config["MODULES"] = [sys]
    keeper = choose_keeper(app, [])
    keeper.snapshot()

    app.config["MODULES"].append(os)
    keeper.restore()

    assert app.config["MODULES"] == [sys]
    assert "deepcopy" not in keeper.settings_source("client")


def test_settings_that_a_global_holds_too_are_seen_to_change(monkeypatch):
    module = ModuleType("archive")
    module.config = SimpleNamespace(SEARCH={"enabled": False})
    monkeypatch.setitem(sys.modules, "archive", module)
    monkeypatch.setitem(sys.modules, "archive.config", ModuleType("archive.config"))
    app = Flask(__name__)
    app.config["SEARCH"] = module.config.SEARCH
    keeper = choose_keeper(app, [module, sys.modules["archive.config"]])
    keeper.snapshot()

    app.config["SEARCH"]["enabled"] = True
    module.config.more = 1
    keeper.restore()

    assert app.config["SEARCH"] == {"enabled": False}
    assert 'settings["SEARCH"].update(saved_search)' in keeper.settings_source("client")
    state = keeper.state_source()
    assert "saved_config = deepcopy(vars(archive.config))" in state


def test_settings_that_a_fork_saw_change_are_no_global_of_a_module_called_app(monkeypatch):
    module = ModuleType("app")
    module.TOTAL = 0
    monkeypatch.setitem(sys.modules, "app", module)
    app = Flask("app")
    app.config["LIMITS"] = {"pens": 3}
    keeper = choose_keeper(app, [module])
    keeper.snapshot()

    keeper.memory.note_changed(["<settings>", "LIMITS", "app.TOTAL"])

    assert "del app.config" not in keeper.state_source()
    assert "app.TOTAL = saved_total" in keeper.state_source()
    assert 'settings["LIMITS"].update(saved_limits)' in keeper.settings_source("client")
