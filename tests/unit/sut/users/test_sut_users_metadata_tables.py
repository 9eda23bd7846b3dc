"""Tables of SQLAlchemy's metadata are made through the one engine of the project."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType

import pytest
from flask import Flask

from pytest_evosearch.sut.users.missing_tables import create_missing_tables

sqlalchemy = pytest.importorskip("sqlalchemy")

TABLES = """
from sqlalchemy import Column, Integer, MetaData, Table, create_engine
from sqlalchemy.orm import declarative_base, scoped_session, sessionmaker

def made(name):
    return create_engine(f"sqlite:///{FOLDER}/{name}.sqlite")
"""

DECLARATIVE = """
Base = declarative_base()

class Item(Base):
    __tablename__ = "item"
    id = Column(Integer, primary_key=True)
"""

IMPERATIVE = """
metadata = MetaData()
item = Table("item", metadata, Column("id", Integer, primary_key=True))
"""

CREATED = "from warehouse import {names}\n\n{metadata}.create_all({engine})"


@pytest.fixture
def module(monkeypatch, tmp_path) -> Iterator[ModuleType]:
    found = ModuleType("warehouse")
    found.FOLDER = tmp_path  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, found.__name__, found)
    exec(TABLES, vars(found))
    yield found
    for value in vars(found).values():
        with suppress(Exception):
            value.dispose()


@pytest.mark.parametrize(
    ("source", "statement"),
    [
        (
            f"{DECLARATIVE}\nengine = made('a')",
            CREATED.format(names="Base, engine", metadata="Base.metadata", engine="engine"),
        ),
        (
            f"{IMPERATIVE}\nSession = sessionmaker(made('a'))",
            CREATED.format(
                names="Session, metadata", metadata="metadata", engine='Session.kw["bind"]'
            ),
        ),
    ],
    ids=["declarative", "imperative"],
)
def test_tables_are_made_where_there_are_none(module, source: str, statement: str) -> None:
    exec(source, vars(module))
    assert create_missing_tables(Flask("warehouse"), modules=[module]) == statement
    engine = vars(module).get("engine") or module.Session.kw["bind"]
    assert sqlalchemy.inspect(engine).get_table_names() == ["item"]
    assert create_missing_tables(Flask("warehouse"), modules=[module]) is None
    engine.dispose()


def test_nothing_is_made_where_several_engines_could_be_meant(module) -> None:
    exec(f"{DECLARATIVE}\nfirst = made('a')\nsecond = made('b')", vars(module))
    assert create_missing_tables(Flask("warehouse"), modules=[module]) is None
    assert sqlalchemy.inspect(module.first).get_table_names() == []
