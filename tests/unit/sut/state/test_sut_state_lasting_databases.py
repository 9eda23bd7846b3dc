from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask import Flask

from pytest_evosearch.sut.fixture_texts.database_text import database_fixture
from pytest_evosearch.sut.state.lasting_databases import lasting_databases
from pytest_evosearch.sut.state.sqlite_places import find_databases
from pytest_evosearch.sut.state.sqlite_state import MemoryDatabase


class Store:
    """Holds a connection."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection


def database(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("create table item (name text)")
    connection.commit()
    connection.close()
    return path


def module(monkeypatch: pytest.MonkeyPatch, **contents: object) -> ModuleType:
    made = ModuleType("shop_of_this_test")
    vars(made).update(contents)
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def source(found: tuple[Any, ...]) -> str:
    imports, text = database_fixture(found, "client", ("client", "rows"))
    return "\n".join([*imports, "import pytest", text])


def test_a_file_is_found_by_its_setting(tmp_path: Path) -> None:
    app = Flask(__name__)
    app.config["STORE"] = str(database(tmp_path / "items.db"))

    found = lasting_databases(app, [], [tmp_path / "items.db"], tmp_path, tmp_path / "tests")

    text = source(found)
    assert len(found) == 1
    assert 'connection = sqlite3.connect(app.config["STORE"])' in text
    assert "def restored_database(client, rows):" in text
    compile(text, "conftest.py", "exec")


def test_a_file_that_nothing_names_is_found_below_the_root(tmp_path: Path) -> None:
    file = database(tmp_path / "items.db")

    found = lasting_databases(Flask(__name__), [], [file], tmp_path, tmp_path / "tests" / "more")

    assert 'parents[2] / "items.db"' in source(found)
    assert found[0].outlives_fixtures


def test_a_connection_inside_of_a_global_is_found(tmp_path: Path, monkeypatch) -> None:
    connection = sqlite3.connect(":memory:")
    store = module(monkeypatch, STORE=Store(connection), SAME=connection)

    found = lasting_databases(Flask(__name__), [store], [], tmp_path, tmp_path)
    connection.close()

    assert len(found) == 1, "each once"
    assert "import shop_of_this_test\n\n    connection = shop_of_this_test.STORE" in source(found)


def test_what_the_search_does_not_put_back_is_not_put_back_by_fixtures(
    tmp_path: Path, monkeypatch
) -> None:
    connection = sqlite3.connect(database(tmp_path / "other.db"))
    store = module(monkeypatch, STORE=connection)

    assert lasting_databases(Flask(__name__), [store], [], tmp_path, tmp_path) == ()
    connection.close()


def test_every_engine_of_flask_sqlalchemy_is_found(tmp_path: Path) -> None:
    extension = pytest.importorskip("flask_sqlalchemy").SQLAlchemy()
    app = Flask(__name__)
    files = [database(tmp_path / name) for name in ("main.db", "users.db")]
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{files[0]}"
    app.config["SQLALCHEMY_BINDS"] = {"users": f"sqlite:///{files[1]}"}
    extension.init_app(app)

    found = lasting_databases(app, [], files, tmp_path, tmp_path)

    text = source(found)
    assert 'app.extensions["sqlalchemy"].engine.raw_connection()' in text
    assert 'app.extensions["sqlalchemy"].engines["users"].raw_connection()' in text
    assert "def restored_database_2(" in text
    compile(text, "conftest.py", "exec")
    with app.app_context():
        for engine in extension.engines.values():
            engine.dispose()


def application_with_connection_in_closure(connection: sqlite3.Connection) -> Flask:
    app = Flask("shop_of_this_test")

    @app.get("/goods")
    def goods() -> str:
        return str(connection)

    return app


def test_a_connection_that_only_a_view_holds_is_found(tmp_path: Path) -> None:
    connection = sqlite3.connect(":memory:")
    app = application_with_connection_in_closure(connection)

    found = lasting_databases(app, [], [], tmp_path, tmp_path)
    kept = find_databases(app, [], None)

    expected = 'connection = getclosurevars(app.view_functions["goods"]).nonlocals["connection"]'
    assert expected in source(found)
    assert "from inspect import getclosurevars" in source(found)
    assert not found[0].outlives_fixtures
    assert [one.connection for one in kept if isinstance(one, MemoryDatabase)] == [connection]
    connection.close()


class Shelf:
    """A view library's object, which answers requests by its methods."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def listed(self) -> str:
        return str(self.path)


def views_that_know_the_file(path: Path) -> Flask:
    app = Flask("shop_of_this_test")
    name = str(path)

    @app.get("/goods")
    def goods() -> str:
        return name

    return app


def view_of_an_object(path: Path) -> Flask:
    app = Flask("shop_of_this_test")
    app.add_url_rule("/goods", "Shelf.listed", Shelf(path).listed)
    return app


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ({"PATH": "{}"}, "from shop_of_this_test import PATH"),
        ({"FILES": {"goods": "{}"}}, 'sqlite3.connect(FILES["goods"])'),
        ({"URL": "sqlite:///{}"}, 'sqlite3.connect(URL.removeprefix("sqlite:///"))'),
    ],
    ids=["a path", "a path in a container", "an address"],
)
def test_a_file_outside_of_the_project_is_opened_as_the_code_opens_it(
    contents: Any, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, root = database(tmp_path / "items.db"), tmp_path / "project"
    made = {
        name: {key: one.format(file) for key, one in value.items()}
        if isinstance(value, dict)
        else value.format(file)
        for name, value in contents.items()
    }
    shop = module(monkeypatch, **made)

    found = lasting_databases(Flask(__name__), [shop], [file], root, root)

    assert expected in source(found)
    assert found[0].outlives_fixtures
    compile(source(found), "conftest.py", "exec")


@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (
            views_that_know_the_file,
            'sqlite3.connect(getclosurevars(app.view_functions["goods"]).nonlocals["name"])',
        ),
        (
            view_of_an_object,
            'sqlite3.connect(app.view_functions["Shelf.listed"].__self__.path)',
        ),
    ],
    ids=["in a closure", "in the object of a bound method"],
)
def test_a_file_that_only_views_name_is_opened_as_they_open_it(
    factory: Any, expected: str, tmp_path: Path
) -> None:
    file, root = database(tmp_path / "items.db"), tmp_path / "project"

    found = lasting_databases(factory(file), [], [file], root, root)

    assert f"connection = {expected}" in source(found)
    assert "app = client.application" in source(found)


def test_a_file_outside_of_the_project_that_nothing_names_is_not_found(tmp_path: Path) -> None:
    file, root = database(tmp_path / "items.db"), tmp_path / "project"

    assert lasting_databases(Flask(__name__), [], [file], root, root) == ()


def test_a_module_called_as_the_fixtures_call_the_application_gets_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = ModuleType("app")
    shop.STORE = connection = sqlite3.connect(":memory:")
    monkeypatch.setitem(sys.modules, "app", shop)

    found = lasting_databases(Flask(__name__), [shop], [], tmp_path, tmp_path)

    assert "import app as app_module\n\n    connection = app_module.STORE" in source(found)
    connection.close()
