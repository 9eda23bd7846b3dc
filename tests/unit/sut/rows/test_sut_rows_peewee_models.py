from __future__ import annotations

import sys
from types import ModuleType

import pytest
from flask import Flask

from pytest_evosearch.sut.rows.families import row_families
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.placing import RowPlacer

pytest.importorskip("peewee")

SOURCE = """
from peewee import *

db = SqliteDatabase(None)

class Base(Model):
    class Meta:
        database = db

class Owner(Base):
    name = CharField(max_length=10)
    tier = CharField(choices=[("free", "Free"), ("paid", "Paid")], default="free")

class Limit(Base):
    name = CharField(primary_key=True, max_length=30)
    share = IntegerField()
    since = DateField(null=True)
    owner = ForeignKeyField(Owner)

class Picture(Base):
    content = BareField()
"""


@pytest.fixture
def module(monkeypatch, tmp_path):
    found = ModuleType("peewee_limits")
    monkeypatch.setitem(sys.modules, found.__name__, found)
    exec(SOURCE, vars(found))
    found.db.init(str(tmp_path / "limits.db"))
    with found.db.connection_context():
        found.db.create_tables([found.Owner, found.Limit])
    return found


def test_models_are_read_with_their_types_except_those_that_no_gene_fits(module):
    [family] = row_families(Flask("peewee_limits"), [module])
    found = {model.table: model for model in family.models}
    assert "picture" not in found
    owner, limit = found["owner"], found["limit"]
    assert [(field.name, field.required) for field in owner.gene.fields] == [
        ("name", True),
        ("tier", False),
    ]
    assert [field.name for field in limit.gene.fields] == ["name", "share", "since"]
    assert limit.parents["owner"].needed
    assert limit.temporal == {"since": "date"}


@pytest.mark.parametrize("is_open", [False, True])
def test_rows_are_created_and_the_connection_is_left_as_it_was(is_open, module):
    if is_open:
        module.db.connect()
    placed = RowPlacer(row_families(Flask("peewee_limits"), [module])).place(
        [
            RowToPlace("peewee_limits.Owner", {"name": "a"}),
            RowToPlace("peewee_limits.Limit", {"name": "b", "share": 3}),
        ]
    )
    assert module.db.is_closed() is not is_open
    assert placed[1].store.contexts == (() if is_open else ("db.connection_context()",))
    module.db.close()
    with module.db.connection_context():
        assert module.Limit.get().owner.tier == "free"
