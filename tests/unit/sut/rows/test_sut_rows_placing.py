from __future__ import annotations

import sys
import warnings
from datetime import date
from datetime import timedelta
from decimal import Decimal
from types import ModuleType

import pytest
from flask import Flask

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.sut.rows.families import row_families
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.placing import RowPlacer
from pytest_evosearch.write.content.arranged_rows import row_statements

sqlalchemy = pytest.importorskip("flask_sqlalchemy")

SOURCE = """
from enum import Enum
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.types import UserDefinedType

db = SQLAlchemy()

class Point(UserDefinedType):
    cache_ok = True

    def get_col_spec(self):
        return "POINT"

class Colour(Enum):
    RED = 1
    BLUE = 2

class Author(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(5), nullable=False)

class Book(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String, nullable=False)
    state = db.Column(db.Enum("kept", "lent"), default="kept")
    colour = db.Column(db.Enum(Colour))
    published = db.Column(db.Date)
    author_id = db.Column(db.ForeignKey("author.id"), nullable=False)

class Place(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    point = db.Column(Point, nullable=False)
"""

TYPES = """
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()

class Event(db.Model):
    id = db.Column(db.Uuid, primary_key=True)
    facts = db.Column(db.JSON, nullable=False)
    price = db.Column(db.Numeric(8, 1), nullable=False)
    starts = db.Column(db.Time, nullable=False)
    at = db.Column(db.DateTime, nullable=False)
    lasts = db.Column(db.Interval, nullable=False)
    picture = db.Column(db.LargeBinary(4), nullable=False)
"""


@pytest.fixture
def library(monkeypatch):
    module = ModuleType("placed_library")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(SOURCE, vars(module))
    return module


@pytest.fixture
def app(library):
    app = Flask("placed_library")
    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
    library.db.init_app(app)
    with app.app_context():
        library.db.create_all()
        yield app
        library.db.session.remove()
        library.db.engine.dispose()


@pytest.fixture
def placer(app, library):
    return RowPlacer(row_families(app, [library]))


def rows_of(library, name):
    return library.db.session.query(getattr(library, name)).all()


def test_models_are_read_with_their_types_except_those_that_no_gene_fits(app, library):
    [family] = row_families(app, [library])
    found = {model.name: model for model in family.models}
    assert list(found) == ["placed_library.Author", "placed_library.Book"]
    book = found["placed_library.Book"]
    assert book.table == "book"
    assert [field.name for field in book.gene.fields] == ["title", "state", "colour", "published"]
    assert [field.required for field in book.gene.fields] == [True, False, False, False]
    assert book.parents["author_id"].model == "placed_library.Author"
    assert book.temporal == {"published": "date", "colour": "placed_library.Colour"}
    name = found["placed_library.Author"].gene.field("name").gene
    assert (name.minimum_length, name.maximum_length) == (1, 5)


def test_values_of_each_type_are_made_stored_and_spelled(monkeypatch):
    module = ModuleType("placed_types")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(TYPES, vars(module))
    app = Flask("placed_types")
    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
    module.db.init_app(app)
    [family] = row_families(app, [module])
    [model] = family.models
    gene = model.gene
    for number in range(20):
        gene = gene.sample(Random(number))
        assert gene.value()["price"] * 10 % 1 == 0
        assert len(gene.value()["picture"]) <= 4
    values = {**model.gene.value(), "price": 2.5, "lasts": 60, "facts": {"a": ["b"]}}
    with app.app_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SQLite knows no decimal numbers
        module.db.create_all()
        [placed] = RowPlacer([family]).place([RowToPlace(model.name, values)])
        [event] = rows_of(module, "Event")
        assert (event.facts, event.price) == ({"a": ["b"]}, Decimal("2.5"))
        assert event.lasts == timedelta(minutes=1)
        module.db.session.remove()
        module.db.engine.dispose()
    row = PlacedRow(placed.model, placed.values, placed.temporal, {}, placed.store)
    text = "\n".join(row_statements([row], "client", ()))
    assert "from datetime import datetime, time, timedelta\nfrom decimal import Decimal\n" in text
    assert 'id=UUID("00000000-0000-4000-8000-000000000000")' in text
    assert 'price=Decimal("2.5")' in text
    assert "lasts=timedelta(seconds=60)" in text
    assert 'facts={"a": ["b"]}' in text


def test_application_without_models_has_none():
    assert row_families(Flask("bare"), []) == []


def test_rows_are_placed_parents_first_and_converted(placer, library):
    values = {"title": "Emma", "colour": "BLUE", "published": "1815-12-23"}
    placed = placer.place(
        [
            RowToPlace("placed_library.Author", {"name": "Jane"}),
            RowToPlace("placed_library.Book", values),
        ]
    )
    [book] = rows_of(library, "Book")
    assert (book.title, book.colour, book.state) == ("Emma", library.Colour.BLUE, "kept")
    assert book.published == date(1815, 12, 23)
    assert placed[1].parents == {"author_id": (0, "id")}
    assert placed[1].store.imports == ("placed_library.db",)


def test_row_refers_to_one_that_is_there_where_its_parent_is_not_placed(placer, library):
    library.db.session.add(library.Author(id=7, name="Anne"))
    library.db.session.commit()
    [placed] = placer.place([RowToPlace("placed_library.Book", {"title": "Agnes"})])
    assert placed.values == {"title": "Agnes", "author_id": 7}


def test_nothing_is_placed_where_the_database_refuses_one_of_the_rows(placer, library):
    rows = [
        RowToPlace("placed_library.Author", {"name": "Jane"}),
        RowToPlace("placed_library.Author", {"name": None}),
    ]
    assert placer.place(rows) is None
    assert placer.place([RowToPlace("placed_library.Book", {"title": "Emma"})]) is None
    assert rows_of(library, "Author") == rows_of(library, "Book") == []
