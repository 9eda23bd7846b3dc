from __future__ import annotations

import sqlite3
import sys
from contextlib import suppress
from types import ModuleType

import pytest
from database_servers import postgresql
from flask import Flask

from pytest_evosearch.sut.rows.families import row_families
from pytest_evosearch.sut.rows.kinds import NotKeptError
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.openings import connection_openings
from pytest_evosearch.sut.rows.openings import held_objects
from pytest_evosearch.sut.rows.placing import RowPlacer

__all__ = ["postgresql"]

sqlalchemy = pytest.importorskip("sqlalchemy")

MODELS = """
from sqlalchemy import Column, Integer, String, create_engine
from sqlalchemy.orm import Session, declarative_base, scoped_session, sessionmaker
from sqlalchemy.pool import StaticPool

Base = declarative_base()

class Item(Base):
    __tablename__ = "item"
    id = Column(Integer, primary_key=True)
    name = Column(String(9), nullable=False)

made = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
Base.metadata.create_all(made)
"""


@pytest.fixture
def module(monkeypatch):
    found = ModuleType("opened_shop")
    monkeypatch.setitem(sys.modules, found.__name__, found)
    exec(MODELS, vars(found))
    yield found
    found.made.dispose()


def placed_through(module, source):
    """Place a row where `source` says what else the module holds, and return its store."""
    engine = module.made
    exec(source, vars(module))
    del module.made
    app = Flask("opened_shop")
    [placed] = RowPlacer(row_families(app, [module])).place(
        [RowToPlace("opened_shop.Item", {"name": "lamp"})]
    )
    with sqlalchemy.orm.Session(engine) as session:
        assert session.query(module.Item.name).all() == [("lamp",)]
    module.made = engine
    return placed.store


@pytest.mark.parametrize(
    ("source", "imports", "contexts", "inside", "ending"),
    [
        (
            "Local = sessionmaker(made)",
            ("opened_shop.Local",),
            ("Local() as session",),
            (),
            ("session.commit()",),
        ),
        (
            "db_session = scoped_session(sessionmaker(made))",
            ("opened_shop.db_session",),
            ("{client}.application.app_context()",),
            (),
            ("db_session.commit()", "db_session.remove()"),
        ),
        (
            "engine = made",
            ("opened_shop.engine", "sqlalchemy.orm.Session"),
            ("Session(engine) as session",),
            (),
            ("session.commit()",),
        ),
    ],
    ids=["sessionmaker", "scoped session", "engine"],
)
def test_session_is_opened_as_the_project_does(source, imports, contexts, inside, ending, module):
    store = placed_through(module, source)
    assert (store.imports, store.contexts) == (imports, contexts)
    assert (store.inside, store.ending) == (inside, ending)


def test_object_at_the_application_is_named_by_its_place():
    app = Flask("held")
    app.config["FACTORY"] = object()
    app.extensions["orm"] = object()
    app.store = object()
    names = [one.name for one in held_objects(app, [])]
    for code in ('config["FACTORY"]', 'extensions["orm"]', "store"):
        joint = "" if code[0] == "[" else "."
        assert f"{{client}}.application{joint}{code}" in names


FUNCTIONS = """
import sqlite3
from contextlib import contextmanager
from flask import g

PATH = {path!r}

def get_db():
    if "db" not in g:
        g.db = sqlite3.connect(PATH)
    return g.db

def connect():
    return sqlite3.connect(PATH)

@contextmanager
def connected():
    connection = sqlite3.connect(PATH)
    yield connection
    connection.close()

def init_db():
    connect().executescript("DROP TABLE item")

def database_name(kind):
    return PATH
"""


@pytest.fixture
def functions(monkeypatch, tmp_path):
    path = str(tmp_path / "shop.db")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    connection.close()
    found = ModuleType("opened_functions")
    monkeypatch.setitem(sys.modules, found.__name__, found)
    file = tmp_path / "opened_functions.py"
    file.write_text(FUNCTIONS.format(path=path))
    exec(compile(file.read_text(), str(file), "exec"), vars(found))
    return found


def ways(functions, app):
    held = held_objects(app, [functions])
    return list(connection_openings(app, held, [functions.PATH]))


def test_functions_that_give_connections_are_found_and_others_are_not_called(functions):
    app = Flask("functions")
    found = {opening.store.imports[0]: opening.store for opening in ways(functions, app)}
    assert set(found) == {
        "opened_functions.PATH",
        "opened_functions.connect",
        "opened_functions.connected",
        "opened_functions.get_db",
    }


def test_what_a_function_returns_is_closed_where_nothing_else_does(functions):
    app = Flask("functions")
    opened = {}
    for opening in ways(functions, app):
        with suppress(NotKeptError), opening.open() as connection:
            opened[opening.store.contexts, opening.store.inside] = type(connection)
    application = "{client}.application.app_context()"
    assert set(opened) == {
        ((application,), ("connection = get_db()",)),
        ((application, "closing(get_db()) as connection"), ()),
        ((application, "closing(connect()) as connection"), ()),
        ((application, "connected() as connection"), ()),
        (("closing(sqlite3.connect(PATH)) as connection",), ()),
    }
    assert set(opened.values()) == {sqlite3.Connection}
